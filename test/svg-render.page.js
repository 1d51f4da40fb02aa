// Runs in the browser page of svg-render.test.ts.

/** Parts that leave the picture, and texts that leave the block they label. */
window.findPartsOutside = () => {
  const frame = document.querySelector('svg').getBoundingClientRect();
  const leaves = (inner, outer) =>
    inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5 || inner.top < outer.top - 0.5 || inner.bottom > outer.bottom + 0.5;
  const outside = [];
  for (const part of document.querySelectorAll('svg text, svg rect, svg line')) {
    if (part.closest('defs') === null && leaves(part.getBoundingClientRect(), frame)) outside.push(`picture: ${part.outerHTML}`);
  }
  for (const text of document.querySelectorAll('svg g > text.on-block')) {
    const box = text.parentElement.querySelector('rect');
    if (leaves(text.getBoundingClientRect(), box.getBoundingClientRect())) outside.push(`box: ${text.outerHTML}`);
  }
  return outside;
};

/** What a strict XML parser makes of the picture. */
window.readFacts = (svg) => {
  const picture = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const root = picture.documentElement;
  const ids = [...picture.querySelectorAll('[id]')].map(({ id }) => id);
  const used = [...svg.matchAll(/url\(#([^)]+)\)/g)].map(([, id]) => id);
  return {
    error: picture.querySelector('parsererror')?.textContent ?? null,
    role: root.getAttribute('role'),
    labels: (root.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => picture.getElementById(id)?.textContent !== ''),
    doubledIds: ids.filter((id, index) => ids.indexOf(id) !== index),
    missing: used.filter((id) => !ids.includes(id)),
  };
};
