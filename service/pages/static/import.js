// Keeps the chosen files while they are previewed, and takes the options as they stand.
"use strict";
const files = document.getElementById("files");
const options = document.getElementById("options");
const said = document.getElementById("said");

function query() {
  const set = new URLSearchParams(new FormData(options));
  for (const [name, value] of [...set]) if (value === "") set.delete(name);
  return set.size ? `?${set}` : "";
}

document.addEventListener("submit", async (event) => {
  if (event.target !== files) return;
  const chosen = new FormData();
  for (const [name, file] of new FormData(files)) if (file.size) chosen.append(name, file);
  event.preventDefault();
  const previewing = event.submitter?.hasAttribute("formaction");
  said.textContent = previewing ? "Reading the files…" : "Importing…";
  try {
    const path = previewing ? "/test-sets/preview" : "/test-sets";
    const answer = await fetch(path + query(), { method: "POST", body: chosen });
    if (answer.redirected) {
      location.assign(answer.url);
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById("said") ?? page.querySelector("main");
    said.replaceChildren(...found.childNodes);
  } catch (error) {
    said.textContent = `The files could not be sent: ${error.message}. Is the service still running?`;
  }
});
