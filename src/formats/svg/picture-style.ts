import { element, type SvgElement } from './element.js';

/** Fonts every picture asks for; text is measured for the widest of them. */
const fontFamily = 'system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,DejaVu Sans,sans-serif';

/**
 * Style sheet of every picture. A picture brings its own paper, so it is readable on any page, and follows a dark setting.
 * Blocks keep their light fills and black text on both. The class on the root keeps the rules inside the picture.
 */
export function pictureStyle(): SvgElement {
  return element('style', {}, [...lightRules, `@media (prefers-color-scheme: dark){${darkRules.join('')}}`].join(''));
}

const lightRules = [
  `.inlay text{font-family:${fontFamily};fill:#1c2430}`,
  '.inlay .paper{fill:#ffffff;stroke:#d5dbe3}',
  '.inlay .quiet{fill:#5a6675}',
  '.inlay .strong{font-weight:600}',
  '.inlay .rule{stroke:#d5dbe3}',
  '.inlay .slot{fill:#f1f4f7;stroke:#c3ccd6}',
  '.inlay .tick{stroke:#c3ccd6}',
  '.inlay .hatch{stroke:#c3ccd6;stroke-width:1.2;fill:none}',
  '.inlay .texture{stroke:#10151c;stroke-opacity:.2;stroke-width:1.3;fill:none}',
  '.inlay .others{fill:#c9ced4}',
  '.inlay .edge{fill:none;stroke:#10151c;stroke-opacity:.35}',
  '.inlay .load{fill:#10151c;fill-opacity:.62}',
  '.inlay .load-track{fill:#10151c;fill-opacity:.14}',
  '.inlay .pill{fill:#e4e9ef}',
  '.inlay .on-block{fill:#10151c}',
  '.inlay .fading{fill-opacity:.4}',
  '.inlay .made{fill:#7fb8a4}',
  '.inlay .dropped{fill:#b7bfc8}',
  '.inlay .wiped{fill:#b9a6dd}',
  '.inlay .capacity{fill:none;stroke:#1c2430;stroke-width:1.6}',
  '.inlay .floor{stroke:#c2410c;stroke-width:1.3;stroke-dasharray:5 3}',
] as const;

const darkRules = [
  '.inlay text{fill:#e8edf3}',
  '.inlay .paper{fill:#12171e;stroke:#323b47}',
  '.inlay .quiet{fill:#9dabba}',
  '.inlay .rule{stroke:#323b47}',
  '.inlay .slot{fill:#1b222b;stroke:#465261}',
  '.inlay .tick{stroke:#465261}',
  '.inlay .hatch{stroke:#465261}',
  '.inlay .others{fill:#8d969f}',
  '.inlay .pill{fill:#2a333e}',
  '.inlay .on-block{fill:#10151c}',
  '.inlay .capacity{stroke:#e8edf3}',
  '.inlay .floor{stroke:#fb923c}',
] as const;
