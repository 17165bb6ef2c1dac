"""What the worker has to know of paraphrases: whom to ask about, and what may be kept."""

from worker.adversarial.paraphrase import Answers, drop_unfit
from worker.adversarial.suite import choose_asked

__all__ = ["Answers", "choose_asked", "drop_unfit"]
