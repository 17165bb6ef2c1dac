"""How structs are shown: as text, as HTML, as data frames."""
