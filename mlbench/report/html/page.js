"use strict";

document.documentElement.classList.add("scripted");

// Cells without a number come after the numbers of their column. Row headings are text.
function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell.textContent.trim();
  if (cell.tagName === "TH" || text === "") return { text, number: NaN };
  return { text, number: Number(cell.dataset.v ?? text.split(" ")[0]) };
}

function compare(a, b, sign) {
  const [first, second] = [Number.isNaN(a.number), Number.isNaN(b.number)];
  if (!first && !second) return sign * (a.number - b.number);
  if (first !== second) return first ? 1 : -1;
  return sign * a.text.localeCompare(b.text, "en", { numeric: true });
}

// Clicks on a heading: best first, worst first, the order of the page.
const TURNS = {
  ascending: { none: "ascending", ascending: "descending", descending: "none" },
  descending: { none: "descending", descending: "ascending", ascending: "none" },
};

function makeSortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const headings = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  if (original.length < 2) return;
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const order = TURNS[heading.dataset.first ?? "ascending"][heading.getAttribute("aria-sort")];
      headings.forEach((each) => each.setAttribute("aria-sort", "none"));
      heading.setAttribute("aria-sort", order);
      const sign = order === "descending" ? -1 : 1;
      const rows = original.map((row) => ({ row, value: valueOf(row, column) }));
      table.classList.toggle("sorted", order !== "none");
      if (order !== "none") rows.sort((a, b) => compare(a.value, b.value, sign));
      body.append(...rows.map(({ row }) => row));
    });
  });
}

function prepare(root) {
  for (const table of root.querySelectorAll("table.sortable:not(.ready)")) {
    if (table.closest("details:not([open])")) continue;
    table.classList.add("ready");
    makeSortable(table);
  }
}

function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let node = target; node; node = node.parentElement) {
    if (node.tagName === "DETAILS") node.open = true;
  }
  if (target?.closest("details")) target.scrollIntoView({ block: "center" });
}

// Printed pages show long tables.
const closed = () => document.querySelectorAll("details.long-table:not([open])");
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...closed()];
  for (const each of opened) each.open = true;
});
addEventListener("afterprint", () => {
  for (const each of opened) each.open = false;
});

document.addEventListener("toggle", (event) => prepare(event.target), true);
addEventListener("hashchange", reveal);
prepare(document);
reveal();
