/** Links between the pages of the repository. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './named-tests';

/** A link of a page. */
export interface Link {
  /** From the root of the repository. */
  readonly file: string;
  /** Empty where the link is to a whole page. */
  readonly anchor: string;
  /** As it is written. */
  readonly written: string;
}

/** Links of a text to files of the repository. @param page where the text stands, from the root of the repository */
export function linksOf(text: string, page: string): Link[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, written]) => written).filter((written) => !/^[a-z]+:/.test(written)).map((written) => {
    const [target, anchor = ''] = written.split('#');
    return { file: target === '' ? page : path.posix.join(path.posix.dirname(page), target), anchor, written };
  });
}

/** Anchors of a page: its headings as GitHub names them, with a number from the second of a name on, and those that it names itself. */
export function anchorsOf(page: string): string[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  const seen = new Map<string, number>();
  const headings = [...withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => {
    const name = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-');
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}-${times}`;
  });
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, name]) => name)];
}

/** A page without its blocks of code, in which `](` and `#` mean something else. */
function withoutCode(text: string): string {
  return text.split(/^```.*$/m).filter((_part, index) => index % 2 === 0).join('\n');
}
