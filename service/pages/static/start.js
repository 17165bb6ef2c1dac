// Keeps the form while a probe is under way: the secret that was typed into it is sent, not kept.
"use strict";
const form = document.getElementById("start");
const said = document.getElementById("said");

document.addEventListener("submit", async (event) => {
  const button = event.submitter;
  if (event.target !== form || !button || !button.hasAttribute("formaction")) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  if (button.name) body.set(button.name, button.value);
  said.textContent = "Sending a few queries…";
  try {
    const answer = await fetch("/runs/probe", { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById("said");
    said.replaceChildren(...(found ? found.childNodes : page.querySelector("main").childNodes));
    const more = page.querySelector("textarea[name=more]");
    if (more) form.elements.more.value = more.value;
  } catch (error) {
    said.textContent = `The probe could not be sent: ${error.message}. Is the service still running?`;
  }
  said.scrollIntoView({ block: "nearest" });
});
