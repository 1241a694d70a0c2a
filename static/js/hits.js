// Goes from one search hit to the next; without scripts the links lead to the first one.
// Upgrades: [data-hit]. Listens to: clicks. Sends: nothing.

export function startHits() {
  const hits = [...document.querySelectorAll("mark[id^=hit-]")];
  let here = -1;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-hit]");
    if (!link || !hits.length) return;
    event.preventDefault();
    hits[here]?.classList.remove("is-current");
    here = (here + Number(link.dataset.hit) + hits.length) % hits.length;
    hits[here].classList.add("is-current");
    hits[here].scrollIntoView({ block: "center" });
    document.querySelector("[data-hits]").textContent = `${here + 1} of ${hits.length}`;
  });
}
