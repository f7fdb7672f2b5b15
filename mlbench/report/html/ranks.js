"use strict";

// The numbers of mlbench/comparisons/standings.py and mlbench/statistics/ranks.py, for a choice.

// log Gamma(x) for x >= 1/2 by Lanczos' approximation with g = 7.
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];
function logGamma(x) {
  const t = x + 6.5;
  const sum = LANCZOS.reduce((all, c, i) => (i ? all + c / (x - 1 + i) : c), 0);
  return Math.log(2 * Math.PI) / 2 + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

// The regularized incomplete beta function I_x(a, b) by its continued fraction, after Lentz.
function incompleteBeta(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const tiny = 1e-300;
  const least = (v) => (Math.abs(v) < tiny ? tiny : v);
  let c = 1;
  let d = 1 / least(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < 1000; m++) {
    const before = fraction;
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / least(1 + term * d);
      c = least(1 + term / c);
      fraction *= c * d;
    }
    if (Math.abs(fraction / before - 1) < 1e-15) break;
  }
  const logBeta = logGamma(a) + logGamma(b) - logGamma(a + b);
  return (Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta) * fraction) / a;
}

// The probability of an F as large as this.
function pOfF(f, d1, d2) {
  return incompleteBeta(d2 / (d2 + d1 * f), d2 / 2, d1 / 2);
}

// 1 for the smallest; equal values share the mean of their ranks.
function ranksOf(values) {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const same = values.filter((other) => other === value).length;
    return below + (same + 1) / 2;
  });
}

const sum = (values) => values.reduce((all, each) => all + each, 0);
const range = (n) => [...Array(n).keys()];

// Friedman's statistic, corrected for ties, as Iman and Davenport's F with its p-value.
function imanDavenport(ranks) {
  const n = ranks.length;
  const k = ranks[0].length;
  const centered = ranks.map((row) => row.map((rank) => rank - (k + 1) / 2));
  const total = sum(centered.flat().map((each) => each ** 2));
  if (total === 0) return { f: 0, p: 1 };
  const between = sum(range(k).map((j) => sum(centered.map((row) => row[j])) ** 2));
  if (ranks.every((row) => row.every((rank, j) => rank === ranks[0][j]))) {
    // Every data set ranks alike: the probability that n random orders do.
    const sizes = [...new Set(ranks[0])].map((r) => ranks[0].filter((other) => other === r).length);
    const logs = sum(sizes.map((size) => logGamma(size + 1))) - logGamma(k + 1);
    return { f: Infinity, p: Math.exp((n - 1) * logs) };
  }
  const statistic = ((k - 1) * between) / total;
  const f = ((n - 1) * statistic) / (n * (k - 1) - statistic);
  return { f, p: pOfF(f, k - 1, (k - 1) * (n - 1)) };
}

function rankTest(ranks, q, alpha) {
  const n = ranks.length;
  const k = ranks[0]?.length ?? 0;
  if (n < 3 || k < 3) return { n, k, tested: false, significant: false };
  const { f, p } = imanDavenport(ranks);
  const difference = q[k] * Math.sqrt((k * (k + 1)) / (12 * n));
  return { n, k, tested: true, f, p, difference, significant: p < alpha };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  if (!sorted.length) return null;
  return half % 1 ? sorted[half - 0.5] : (sorted[half - 1] + sorted[half]) / 2;
}

// Ranks methods on data sets, both given by their numbers. Who failed shares the last ranks; data
// sets that some method has not run are left out, and so are methods that have run on none. The
// test is of the methods that have finished a data set.
function standings(data, { metric, datasets, methods: chosen, finished }) {
  const { greater } = data.metrics[metric];
  const isNotRun = (d, m) => data.notRun[metric][d][m];
  const notRun = chosen.filter((m) => datasets.some((d) => isNotRun(d, m)));
  const ran = chosen.filter((m) => datasets.some((d) => !isNotRun(d, m)));
  const methods = ran.length ? ran : chosen;
  const done = (d) => methods.filter((m) => !data.lacking[metric][d][m]);
  const enough = finished ? methods.length : 1;
  const isKept = (d) => done(d).length >= enough && !methods.some((m) => isNotRun(d, m));
  const kept = datasets.filter(isKept);
  const ranks = kept.map((d) => {
    const ok = done(d);
    const among = ranksOf(ok.map((m) => (greater ? -1 : 1) * data.means[metric][d][m]));
    const last = (ok.length + 1 + methods.length) / 2;
    return methods.map((m) => (ok.includes(m) ? among[ok.indexOf(m)] : last));
  });
  const k = methods.length;
  const isTested = methods.map((m) => kept.some((d) => done(d).includes(m)));
  const testedRanks = ranks.map((row) => row.filter((_, j) => isTested[j]));
  const test = rankTest(testedRanks, data.q, data.alpha);
  const rows = methods.map((m, j) => {
    const rank = sum(ranks.map((row) => row[j])) / kept.length;
    const lacks = kept.map((d) => Boolean(data.lacking[metric][d][m]));
    return {
      method: m,
      rank,
      win: (k - rank) / Math.max(k - 1, 1),
      best: ranks.filter((row, i) => !lacks[i] && row[j] === Math.min(...row)).length,
      failed: lacks.filter(Boolean).length,
      tested: isTested[j],
      seconds: median(kept.flatMap((d) => data.seconds[d][m])),
    };
  });
  rows.sort((a, b) => a.rank - b.rank);
  for (const row of rows) {
    row.place = 1 + rows.filter((other) => other.rank < row.rank).length;
    row.apart = row.tested && test.significant && row.rank - rows[0].rank >= test.difference;
  }
  const leftOut = datasets.filter((d) => !isKept(d));
  return { metric, datasets: kept, leftOut, notRun, rows, test };
}

// Runs of methods, best first, of which no two differ: the bars of a critical-difference diagram.
function cliques(ranks, difference) {
  const found = [];
  let reached = 0;
  ranks.forEach((first, start) => {
    const end = start + ranks.slice(start).filter((rank) => rank - first < difference).length;
    if (end > reached && end - start > 1) found.push([start, end - 1]);
    reached = Math.max(reached, end);
  });
  return found;
}

// The digits that mlbench/number_text.py prints: of two numbers as near, the even one; no -0.
function fixed(value, decimals) {
  const text = value.toFixed(decimals).replace(/^-(0\.?0*)$/, "$1");
  const rest = value.toFixed(Math.min(decimals + 50, 100)).split(".")[1].slice(decimals);
  if (!/^50*$/.test(rest) || Number(text.at(-1)) % 2 === 0) return text;
  return (Number(text) - Math.sign(value) * 10 ** -decimals).toFixed(decimals);
}

function pInWords(p) {
  if (p > 0 && p < 0.001) return p.toExponential(2).replace(/e-(\d)$/, "e-0$1");
  return fixed(p, 4) === "1.0000" ? "1" : fixed(p, 4);
}

function secondsInWords(ticks, perSecond) {
  if (ticks === null) return "—";
  const value = ticks / perSecond;
  if (value < 0.001) return "< 0.001";
  return fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

function listed(words, most = words.length) {
  const shown = words.length > most ? [...words.slice(0, most), `${words.length - most} more`] : words;
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : shown.join("");
}
