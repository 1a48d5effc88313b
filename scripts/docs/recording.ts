/**
 * The recording of a terminal in README.md: the commands of the tutorial with their outputs, which the tests of its page run. One command after the
 * other types itself and shows what it prints; then it starts again.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A command, and what it prints. */
interface Scene {
  readonly command: string;
  readonly output: readonly string[];
}

const FENCE = '```';
const COLUMNS = 120;
const LINE_HEIGHT = 20;
const CHAR_WIDTH = 8.1;
const MARGIN = 16;
const TITLE_HEIGHT = 36;
/** Seconds that a command takes to type, that each of its lines takes to appear, and for which the last one stays. */
const TYPING = 1.2;
const PER_LINE = 0.25;
const STAYING = 3.5;

/** Text of `docs/first-minutes.svg`. */
export function recording(): string {
  const page = readFileSync(path.join(__dirname, '..', '..', 'docs', 'tutorial.md'), 'utf8');
  const scenes = scenesOf(page);
  const starts: number[] = [];
  let total = 0;
  for (const { output } of scenes) {
    starts.push(total);
    total += TYPING + output.length * PER_LINE + STAYING;
  }
  const rows = Math.max(...scenes.map(({ output }) => output.length + 1));
  const width = Math.ceil(2 * MARGIN + COLUMNS * CHAR_WIDTH);
  const height = TITLE_HEIGHT + rows * LINE_HEIGHT + MARGIN;
  const drawn = scenes.map((scene, index) => drawScene(scene, starts[index], starts[index + 1] ?? total, total, index === scenes.length - 1));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">A terminal: ${escaped(scenes.map(({ command }) => command).join(', '))}</title>`,
    '<!-- Written by `npm run docs` from docs/tutorial.md. Change that, not this file. -->',
    '<style>',
    'text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d7dce2; white-space: pre; }',
    '.command { fill: #7fd1ff; }',
    `.part { opacity: 0; animation-duration: ${seconds(total)}; animation-iteration-count: infinite; animation-timing-function: step-end; }`,
    ...drawn.flatMap(({ styles }) => styles),
    '@media (prefers-reduced-motion: reduce) { .part { animation: none; } .last .part { opacity: 1; } }',
    '</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#14181d"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map((color, index) => `<circle cx="${MARGIN + 6 + index * 20}" cy="18" r="6" fill="${color}"/>`),
    ...drawn.flatMap(({ elements }) => elements),
    '</svg>',
    '',
  ].join('\n');
}

/** The commands of the blocks that are marked as a console. A line of three dots stands for more of them. */
function scenesOf(page: string): Scene[] {
  return page.split(`${FENCE}console\n`).slice(1).map((rest) => {
    const [first, ...output] = rest.slice(0, rest.indexOf(`\n${FENCE}`)).split('\n');
    return { command: first.replace(/^\$ /, ''), output: output.flatMap(folded) };
  });
}

/** A line in pieces as long as the terminal is wide. */
function folded(line: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at === 0 || at < line.length; at += COLUMNS) {
    pieces.push(line.slice(at, at + COLUMNS));
  }
  return pieces;
}

function drawScene({ command, output }: Scene, start: number, end: number, total: number, isLast: boolean) {
  const lines = [`$ ${command}`, ...output];
  const moments = lines.map((_line, index) => (index === 0 ? start : start + TYPING + (index - 1) * PER_LINE));
  const name = (index: number) => `at${Math.round(moments[index] * 100)}`;
  const percent = (moment: number) => `${(100 * moment / total).toFixed(2)}%`;
  const styles = lines.map((_line, index) => [
    `@keyframes ${name(index)} { 0% { opacity: ${moments[index] === 0 ? 1 : 0}; } ${percent(moments[index])} { opacity: 1; }`,
    `${isLast ? '' : `${percent(end)} { opacity: 0; } `}100% { opacity: 0; } }`,
  ].join(' '));
  const elements = lines.map((line, index) => {
    const y = TITLE_HEIGHT + (index + 1) * LINE_HEIGHT;
    const kind = index === 0 ? 'part command' : 'part';
    return `<text class="${kind}" x="${MARGIN}" y="${y}" style="animation-name: ${name(index)}">${escaped(line)}</text>`;
  });
  return { styles, elements: [`<g${isLast ? ' class="last"' : ''}>`, ...elements, '</g>'] };
}

function seconds(value: number): string {
  return `${value.toFixed(2)}s`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
