// Buttons that copy a text of the page; without a script they stay hidden.
for (const button of document.querySelectorAll("button[data-copies]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    const told = button.parentElement.querySelector("[role=status]");
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
      told.textContent = "Copied.";
    } catch {
      told.textContent = "The browser did not allow it; select the text above.";
    }
  });
}
