// The critical difference: a diagram after Demšar (2006), or, where it is narrow, a list with bars.

const NARROW = 560;
const pen = document.createElement("canvas").getContext("2d");

class Drawing {
  constructor(width, height, size, label) {
    const sizes = { viewBox: `0 0 ${width} ${height}`, width, height, "font-size": size };
    this.svg = Drawing.element("svg", { ...sizes, role: "img", "aria-label": label });
  }

  static element(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  line(look, ...points) {
    this.svg.append(Drawing.element("polyline", { points: points.join(" "), class: look }));
  }

  text(words, x, y, anchor) {
    const made = Drawing.element("text", { x, y, "text-anchor": anchor });
    made.textContent = words;
    this.svg.append(made);
  }
}

function fitted(name, width) {
  let kept = name;
  while (kept && pen.measureText(`${kept}…`).width > width) kept = kept.slice(0, -1);
  return pen.measureText(name).width <= width ? name : `${kept}…`;
}

// Methods on both sides of an axis of ranks.
function across(names, values, difference, width, label) {
  const size = 14;
  const k = names.length;
  const ranks = values.map((value) => fixed(value, 2));
  pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  const widest = Math.max(...names.map((name, i) => pen.measureText(`${name} ${ranks[i]}`).width));
  const margin = Math.min(widest + 14, 0.36 * width);
  const inner = width - 2 * margin;
  const x = (rank) => margin + ((rank - 1) / (k - 1)) * inner;
  const [axis, gap, step] = [3.6 * size, 0.6 * size, 1.6 * size];
  const bars = cliques(values, difference);
  const top = axis + gap + bars.length * gap + step;
  const left = Math.ceil(k / 2);
  const made = new Drawing(width, top + (left - 0.5) * step, size, label);
  made.text(`critical difference ${fixed(difference, 2)}`, x(1), size, "start");
  made.line("bar", [x(1), 1.5 * size], [Math.min(x(1 + difference), width - 2), 1.5 * size]);
  made.line("axis", [x(1), axis], [x(k), axis]);
  const every = Math.ceil((2 * size * (k - 1)) / inner);
  for (const i of range(k)) {
    made.line("axis", [x(i + 1), axis - 5], [x(i + 1), axis]);
    if (i % every === 0) made.text(String(i + 1), x(i + 1), axis - 9, "middle");
  }
  bars.forEach(([first, last], i) => {
    const y = axis + gap + i * gap;
    made.line("bar", [x(values[first]) - 4, y], [x(values[last]) + 4, y]);
  });
  values.forEach((value, i) => {
    const onLeft = i < left;
    const y = top + (onLeft ? i : k - 1 - i) * step;
    const side = onLeft ? margin - 8 : width - margin + 8;
    made.line("to-name", [x(value), axis], [x(value), y - 0.35 * size], [side, y - 0.35 * size]);
    const name = fitted(names[i], margin - 14 - pen.measureText(` ${ranks[i]}`).width);
    made.text(`${name} ${ranks[i]}`, onLeft ? side - 5 : side + 5, y, onLeft ? "end" : "start");
  });
  return made.svg;
}

// Methods below each other, with a bar beside each group.
function down(names, values, difference, width, label) {
  const size = 13;
  const step = 1.6 * size;
  const bars = cliques(values, difference);
  const gap = Math.min(0.9 * size, (0.4 * width) / Math.max(bars.length, 1));
  const right = width - gap * bars.length - 4;
  pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  const made = new Drawing(width, step * (names.length + 0.3), size, label);
  names.forEach((name, i) => {
    const y = (i + 0.85) * step;
    made.text(fitted(name, right - 4 * size), 0, y, "start");
    made.text(fixed(values[i], 2), right - 6, y, "end");
  });
  bars.forEach(([first, last], i) => {
    const x = right + (i + 0.5) * gap;
    made.line("bar", [x, (first + 0.2) * step], [x, (last + 1) * step]);
  });
  return made.svg;
}

function drawing(names, values, difference, width) {
  const ranks = names.map((name, i) => `${name} ${fixed(values[i], 2)}`).join(", ");
  const label = `Critical difference ${fixed(difference, 2)}. ${ranks}.`;
  return (width < NARROW ? down : across)(names, values, difference, width, label);
}
