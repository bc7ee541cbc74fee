// What to call a row: by its first label, and by those of the others that tell rows of one name apart.

// Whether a label splits what other labels leave together.
export function tells(label, others, rows) {
  const distinct = (labels) => new Set(rows.map((row) => JSON.stringify(labels.map((name) => row[name])))).size;
  return distinct([...others, label]) > distinct(others);
}

export function namer(labels, rows) {
  const [first, ...others] = labels;
  const telling = others.filter((label, i) => tells(label, [first, ...others.slice(0, i)], rows));
  return (row) => [row[first], ...telling.map((label) => row[label])].filter((part) => part !== null && part !== undefined && part !== "").join(", ");
}
