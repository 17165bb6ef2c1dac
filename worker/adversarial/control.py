"""The control: a query that is sent again unchanged, to show the endpoint's own noise."""

from worker.adversarial.variant import Subject, Variant


def repeat(subject: Subject) -> Variant:
    """`control.repeat`: the same text; nothing is drawn."""
    return Variant(text=subject.text)
