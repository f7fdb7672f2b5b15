// The diagram of the critical difference, after Demšar (2006), as wide as its place.

function svg(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

const pen = document.createElement("canvas").getContext("2d");
function fitted(name, width) {
  if (pen.measureText(name).width <= width) return name;
  let kept = name;
  while (kept && pen.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1);
  return `${kept}…`;
}

function drawing(methods, rows, { k, difference }, width) {
  const size = width < 560 ? 12 : 14;
  pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  const names = rows.map((row) => methods[row.method]);
  const ranks = rows.map((row) => fixed(row.rank, 2));
  const widest = Math.max(...names.map((name, i) => pen.measureText(`${name} ${ranks[i]}`).width));
  const margin = Math.min(widest + 14, 0.36 * width);
  const x = (rank) => margin + ((rank - 1) / (k - 1)) * (width - 2 * margin);
  const [axis, gap, step] = [3.6 * size, 0.6 * size, 1.6 * size];
  const bars = cliques(rows.map((row) => row.rank), difference);
  const top = axis + gap + bars.length * gap + step;
  const left = Math.ceil(k / 2);
  const height = top + left * step - step / 2;
  const label = `Critical difference ${fixed(difference, 2)}. ${names.map((name, i) => `${name} ${ranks[i]}`).join(", ")}.`;
  const made = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, "font-size": size });
  const line = (points, look) => made.append(svg("polyline", { points: points.map((p) => p.join()).join(" "), class: look }));
  const write = (text, at, y, anchor) => made.append(svg("text", { x: at, y, "text-anchor": anchor }, text));
  const end = Math.min(x(1 + difference), width - 2);
  write(`critical difference ${fixed(difference, 2)}`, x(1), size, "start");
  line([[x(1), 1.5 * size], [end, 1.5 * size]], "bar");
  line([[x(1), axis], [x(k), axis]], "axis");
  const every = Math.ceil((2 * size * (k - 1)) / (width - 2 * margin));
  for (const i of range(k)) {
    line([[x(i + 1), axis - 5], [x(i + 1), axis]], "axis");
    if (i % every === 0) write(String(i + 1), x(i + 1), axis - 9, "middle");
  }
  bars.forEach(([first, last], i) => {
    const y = axis + gap + i * gap;
    line([[x(rows[first].rank) - 4, y], [x(rows[last].rank) + 4, y]], "bar");
  });
  rows.forEach((row, i) => {
    const onLeft = i < left;
    const y = top + (onLeft ? i : k - 1 - i) * step;
    const side = onLeft ? margin - 8 : width - margin + 8;
    line([[x(row.rank), axis], [x(row.rank), y - 0.35 * size], [side, y - 0.35 * size]], "lead-line");
    const name = fitted(names[i], margin - 14 - pen.measureText(` ${ranks[i]}`).width);
    write(`${name} ${ranks[i]}`, onLeft ? side - 5 : side + 5, y, onLeft ? "end" : "start");
  });
  return made;
}
