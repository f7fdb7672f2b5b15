// The view: what is chosen in the form, and in the page's address, decides what the tables show.

const data = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("choice");
const byId = (id) => document.getElementById(id);
const NUMBERS = ["rank", "win", "best", "failed", "seconds"];
const LARGEST_FIRST = new Set(["win", "best", "failed"]);
const MAX_NAMES = 4;
let sorting = { key: "rank", down: false };

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const boxes = (name) => [...form.querySelectorAll(`input[name="${name}"]`)];
const checked = (name) => boxes(name).filter((box) => box.checked);

// The choice

function within(text, number) {
  const [low, high] = text.split("-").map(Number);
  return !text || (number >= low && (!high || number < high));
}

function isOffered({ domain, rows, labels }) {
  const domains = checked("domain").map((box) => box.value);
  if (domains.length && !domains.includes(domain)) return false;
  return within(form.rows?.value ?? "", rows) && within(form.labels?.value ?? "", labels);
}

function chosen() {
  const sets = boxes("dataset");
  sets.forEach((box, d) => (box.disabled = !isOffered(data.datasets[d])));
  const places = (all) =>
    all.flatMap((box, place) => (box.checked && !box.disabled ? [place] : []));
  return {
    metric: form.metric.selectedIndex,
    datasets: places(sets),
    methods: places(boxes("method")),
    finished: form.finished.checked,
  };
}

// The address has what differs from the page as it opens.
function toAddress() {
  const words = new URLSearchParams();
  if (form.metric.selectedIndex) words.set("metric", form.metric.value);
  for (const box of checked("domain")) words.append("domain", box.value);
  for (const name of ["rows", "labels"]) if (form[name]?.value) words.set(name, form[name].value);
  if (form.finished.checked !== form.finished.defaultChecked)
    words.set("finished", form.finished.checked ? "1" : "0");
  for (const name of ["dataset", "method"]) {
    const some = checked(name);
    if (some.length === boxes(name).length) continue;
    for (const box of some) words.append(name, box.value);
    if (!some.length) words.set(name, "");
  }
  if (sorting.key !== "rank" || sorting.down)
    words.set("sort", (sorting.down ? "-" : "") + sorting.key);
  return words.toString();
}

function fromAddress() {
  form.reset();
  const words = new URLSearchParams(location.hash.slice(1));
  const unknown = [];
  const pick = (name) => {
    if (!words.has(name)) return;
    const value = words.get(name);
    const options = [...(form[name]?.options ?? [])].map((option) => option.value);
    if (options.includes(value)) form[name].value = value;
    else unknown.push(`${name} ${value}`);
  };
  ["metric", "rows", "labels"].forEach(pick);
  for (const name of ["domain", "dataset", "method"]) {
    if (!words.has(name)) continue;
    const wanted = words.getAll(name).filter(Boolean);
    for (const box of boxes(name)) box.checked = wanted.includes(box.value);
    const known = boxes(name).map((box) => box.value);
    unknown.push(...wanted.filter((each) => !known.includes(each)).map((each) => `${name} ${each}`));
  }
  if (words.has("finished")) form.finished.checked = words.get("finished") === "1";
  const sort = words.get("sort") ?? "rank";
  const key = sort.replace(/^-/, "");
  sorting = { key: ["method", ...NUMBERS].includes(key) ? key : "rank", down: sort[0] === "-" };
  byId("told").textContent = `The link names what is not here: ${listed(unknown)}.`;
  byId("told").hidden = !unknown.length;
}

// The sentences, as mlbench/report/tables/standings.py has them

const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const of = (number, total, noun) =>
  number === total ? counted(number, noun) : `${number} of ${counted(total, noun)}`;

const leadersOf = (rows) =>
  rows.filter((row) => row.place === 1).map((row) => data.methods[row.method]);

// What follows the names of the leaders.
function leads({ metric, datasets, rows }) {
  const isOne = leadersOf(rows).length === 1;
  const title = data.metrics[metric].title;
  const methods = of(rows.length, data.methods.length, "method");
  if (datasets.length === 1) {
    const name = data.datasets[datasets[0]].name;
    return ` ${isOne ? "has" : "share"} the best mean in ${title} on ${name}, of ${methods}.`;
  }
  const start = ` ${isOne ? "leads" : "share the lead"} in ${title}`;
  const sets = of(datasets.length, data.datasets.length, "data set");
  return `${start}: mean rank ${fixed(rows[0].rank, 2)} over ${sets} and ${methods}.`;
}

function toldApart(found) {
  const untested = found.rows.filter((row) => !row.tested).map((row) => data.methods[row.method]);
  if (!untested.length) return ofTested(found);
  return `${ofTested(found)} Not tested, without a finished data set: ${listed(untested, MAX_NAMES)}.`;
}

function ofTested({ rows, test }) {
  if (!test.tested) return "Not tested: it takes three data sets and three methods.";
  if (!test.significant)
    return `No methods are told apart (Iman-Davenport: p = ${pInWords(test.p)}).`;
  const level = `Nemenyi, ${data.alpha}`;
  const it = leadersOf(rows).length === 1 ? "it" : "them";
  const near = rows.filter((row) => row.place > 1 && row.tested && !row.apart);
  if (!near.length) return `All others are told apart from ${it} (${level}).`;
  const names = near.map((row) => data.methods[row.method]);
  return `Not told apart from ${it}: ${listed(names, MAX_NAMES)} (${level}).`;
}

function notRunOnAll({ notRun, leftOut, rows }) {
  if (!notRun.length) return "";
  const out = leftOut.length ? ` Left out: ${listed(leftOut.map((d) => data.datasets[d].name))}.` : "";
  const names = listed(notRun.map((m) => data.methods[m]), MAX_NAMES);
  const ranked = new Set(rows.map((row) => row.method));
  const absent = notRun.filter((m) => !ranked.has(m)).map((m) => data.methods[m]);
  const notRanked = absent.length ? ` Not ranked, with no data set to its end: ${listed(absent)}.` : "";
  return ` With cells that have not run: ${names}.${notRanked}${out}`;
}

// The tables

function ordered(rows) {
  const { key, down } = sorting;
  const by = {
    method: (a, b) => data.methods[a.method].localeCompare(data.methods[b.method], "en"),
    seconds: (a, b) => (a.seconds ?? Infinity) - (b.seconds ?? Infinity) || 0,
  };
  const compare = by[key] ?? ((a, b) => a[key] - b[key]);
  return [...rows].sort((a, b) => (down ? -1 : 1) * compare(a, b));
}

// A name may break before a bracket, and not before a mark.
function breakable(name) {
  const parts = name.replace(/°$/, "\u2060°").split(/(?=\()/);
  return parts.flatMap((part, i) => (i ? [element("wbr"), part] : [part]));
}

function showStandings({ rows }) {
  const texts = {
    rank: (row) => fixed(row.rank, 2),
    win: (row) => `${fixed(100 * row.win, 0)} %`,
    best: (row) => String(row.best),
    failed: (row) => String(row.failed),
    seconds: (row) => secondsInWords(row.seconds, data.ticks),
  };
  const lines = ordered(rows).map((row) => {
    const name = element("th", { scope: "row" }, element("span", {}, ...breakable(data.names[row.method])));
    if (row.failed) name.append(element("small", {}, `failed on ${row.failed}`));
    const cells = NUMBERS.map((key) => element("td", { className: key }, texts[key](row)));
    cells[1].style.setProperty("--share", row.win);
    const look = { className: data.own.includes(row.method) ? "own" : "" };
    return element("tr", look, element("td", { className: "place" }, String(row.place)), name, ...cells);
  });
  byId("standings").tBodies[0].replaceChildren(...lines);
  for (const heading of byId("standings").querySelectorAll("th[data-sort]")) {
    const here = heading.dataset.sort === sorting.key;
    heading.setAttribute("aria-sort", here ? (sorting.down ? "descending" : "ascending") : "none");
  }
}

function showScores({ metric, datasets, rows }) {
  const { title, greater, factor, decimals } = data.metrics[metric];
  const heading = (text, more = {}) =>
    element("th", { scope: "col", ...more }, ...breakable(text));
  const head = element(
    "tr", {}, heading("Data set", { className: "label" }), heading("Rows", { className: "fact" }), heading("Labels", { className: "fact" }),
    ...rows.map((row) => heading(data.names[row.method])),
  );
  const lines = datasets.map((d) => {
    const { name, rows: n, labels } = data.datasets[d];
    const means = rows.map((row) => data.means[metric][d][row.method]);
    const known = means.filter((mean) => mean !== null);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const cells = means.map((mean, i) => {
      if (mean === null) {
        const why = data.lacking[metric][d][rows[i].method];
        return element("td", { className: "lacking" }, "—", element("small", {}, why));
      }
      const goodness = low === high ? 0 : (greater ? mean - low : high - mean) / (high - low);
      const shade = Math.round(4 * goodness);
      const text = fixed(mean * factor, decimals);
      const best = mean === (greater ? high : low);
      return element("td", { className: `shade-${shade}` }, best ? element("b", {}, text) : text);
    });
    const facts = [n, labels].map((each) => element("td", { className: "fact" }, each.toLocaleString("en")));
    return element("tr", {}, element("th", { scope: "row" }, name), ...facts, ...cells);
  });
  const section = byId("scores");
  section.hidden = false;
  section.querySelector("h2").textContent = `${title} on each data set`;
  section.querySelector("table").replaceChildren(
    element("caption", {}, `Means over all splits${factor === 100 ? ", in percent" : ""}; the best in bold.`),
    element("thead", {}, head),
    element("tbody", {}, ...lines),
  );
  section.querySelector(".note").textContent = greater ? "" : "Smaller is better.";
}

function showDifference({ metric, rows, test }) {
  const section = byId("difference");
  section.hidden = !test.significant;
  if (section.hidden) return;
  section.querySelector("h2").textContent = `${data.metrics[metric].title}: mean ranks and critical difference`;
  const figure = section.querySelector("figure");
  const tested = rows.filter((row) => row.tested);
  const names = tested.map((row) => data.names[row.method]);
  const ranks = tested.map((row) => row.rank);
  const width = Math.min(Math.max(figure.clientWidth, 280), 860);
  figure.replaceChildren(drawing(names, ranks, test.difference, width));
  const f = test.f === Infinity ? "infinite" : fixed(test.f, 2);
  section.querySelector(".note").textContent =
    `A bar joins methods that are not told apart (Nemenyi, ${data.alpha}; critical difference ` +
    `${fixed(test.difference, 2)}). ` +
    `Iman-Davenport: F(${test.k - 1}, ${(test.k - 1) * (test.n - 1)}) = ${f}, p = ${pInWords(test.p)}.`;
}

// The scores of the choice

function csvText({ metric, datasets, methods }) {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = ["dataset,method,split,metric,value,lacking"];
  for (const d of datasets)
    for (const m of methods)
      data.scores[metric][d][m].forEach((score, split) => {
        const why = score === null ? data.lacking[metric][d][m] || "undefined" : "";
        const value = score === null ? "" : score / data.unit;
        const names = [data.datasets[d].name, data.methods[m]].map(quoted);
        lines.push([...names, split, data.metrics[metric].name, value, quoted(why)].join());
      });
  return `${lines.join("\n")}\n`;
}

function save() {
  const choice = chosen();
  const href = URL.createObjectURL(new Blob([csvText(choice)], { type: "text/csv" }));
  element("a", { href, download: `${data.name}-${data.metrics[choice.metric].name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

function show() {
  const choice = chosen();
  byId("n-datasets").textContent = `${choice.datasets.length} of ${data.datasets.length}`;
  byId("n-methods").textContent = `${choice.methods.length} of ${data.methods.length}`;
  const found = standings(data, choice);
  const enough = found.datasets.length > 0 && found.rows.length > 1;
  for (const id of ["standings", "difference", "scores"]) byId(id).hidden = !enough;
  byId("save").disabled = !choice.datasets.length || !choice.methods.length;
  if (!enough) {
    const lack = found.rows.length < 2 ? "two methods or more" : "a data set that all of them have run";
    byId("answer").textContent = `Choose ${lack} to see who leads.`;
    return;
  }
  const leaders = element("b", {}, listed(leadersOf(found.rows)));
  byId("answer").replaceChildren(leaders, `${leads(found)} ${toldApart(found)}${notRunOnAll(found)}`);
  showStandings(found);
  showDifference(found);
  showScores(found);
}

function changed() {
  show();
  const words = toAddress();
  history.replaceState(null, "", words ? `#${words}` : location.pathname + location.search);
}

// An address with the name of an element leads there, and chooses nothing.
function opened() {
  const anchor = location.hash.slice(1);
  if (!anchor || !byId(anchor)) fromAddress();
  show();
}

for (const each of document.querySelectorAll(".scripted")) each.hidden = false;
for (const details of form.querySelectorAll("details"))
  details.open = matchMedia("(min-width: 60rem)").matches;
for (const heading of byId("standings").querySelectorAll("th[data-sort]")) {
  const button = element("button", { type: "button" }, heading.textContent);
  heading.replaceChildren(button);
  button.addEventListener("click", () => {
    const key = heading.dataset.sort;
    sorting = { key, down: sorting.key === key ? !sorting.down : LARGEST_FIRST.has(key) };
    changed();
  });
}
for (const button of form.querySelectorAll("[data-check], [data-clear]")) {
  button.addEventListener("click", () => {
    const { check, clear } = button.dataset;
    for (const box of boxes(check ?? clear)) box.checked = Boolean(check);
    changed();
  });
}
form.addEventListener("change", changed);
form.addEventListener("submit", (event) => event.preventDefault());
byId("all").addEventListener("click", () => {
  history.replaceState(null, "", location.pathname + location.search);
  opened();
});
byId("save").addEventListener("click", save);
addEventListener("hashchange", opened);
addEventListener("resize", show);
opened();
