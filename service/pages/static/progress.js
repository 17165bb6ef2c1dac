// Follows a run by its events, and shows its report once it has ended.
"use strict";
const place = document.getElementById("progress");
const source = new EventSource(`/v1/runs/${place.dataset.run}/events${place.dataset.share}`);

function tell(event) {
  const run = JSON.parse(event.data);
  const { done, total, failed, eta_s: left } = run.progress;
  const bar = document.getElementById("done");
  bar.max = total || 1;
  bar.value = done;
  document.getElementById("counted").textContent = `${done} of ${total} done, ${failed} failed`;
  document.getElementById("left").textContent =
    left === null ? "" : `, about ${Math.ceil(left)} s left`;
  const status = place.querySelector(".status");
  status.textContent = run.status.replaceAll("_", " ");
  status.className = `status status-${run.status}`;
}

source.addEventListener("run", tell);
source.addEventListener("end", (event) => {
  tell(event);
  source.close();
  location.reload();
});
