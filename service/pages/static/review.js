// Lets a person judge by keyboard: digits, U and S, unless they are typing.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const chosen = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!chosen) return;
  event.preventDefault();
  chosen.click();
});
