/** Pages of docs/ and their order: the sections of docs/README.md, which is the index on GitHub and the home page of the site. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Folder of the pages. */
export const DOCS = path.join(__dirname, '..', '..', 'docs');

/** Generated, and with a sidebar of its own. */
const REFERENCE = 'reference/';

/** An entry of the sidebar, as VitePress takes it. */
export interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
  readonly collapsed?: boolean;
}

/** All pages, from docs/ on. */
export function pages(): string[] {
  return readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md')).sort();
}

/** Where a page is on the site: GitHub shows README.md of a folder, a web server index.html. */
export function rewritten(page: string): string {
  return page.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The first heading of a page, up to its colon, without marks. */
function titleOf(page: string): string {
  const heading = readFileSync(path.join(DOCS, page), 'utf8').split('\n').find((line) => line.startsWith('# '))?.slice(2) ?? page;
  return heading.replaceAll('`', '').split(': ')[0];
}

function item(page: string): SidebarItem {
  return { text: titleOf(page), link: `/${rewritten(page)}` };
}

/** Pages that a text links to, each once, in its order. */
function linkedPages(text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)#\s]+\.md)(?:#[^)]*)?\)/g)].map(([, target]) => target);
  return [...new Set(targets)].filter((target) => !target.startsWith('..'));
}

/** A page; the index of a folder with the folder's other pages, as far as no section has them. */
function itemWithFolder(page: string, listed: ReadonlySet<string>): SidebarItem {
  const folder = page.replace(/README\.md$/, '');
  const inner = folder === page || folder === REFERENCE ? [] : pages().filter((each) => each.startsWith(folder) && !listed.has(each));
  return inner.length === 0 ? item(page) : { ...item(page), collapsed: true, items: inner.map(item) };
}

/** Sections of docs/README.md with the pages that they link to; pages that it does not know come last. */
function mainSidebar(): SidebarItem[] {
  const sections = readFileSync(path.join(DOCS, 'README.md'), 'utf8').split(/^## /m).slice(1).map((section) => {
    const [title, ...lines] = section.split('\n');
    return { title, linked: linkedPages(lines.join('\n')) };
  }).filter(({ linked }) => linked.length > 0);
  const listed = new Set(sections.flatMap(({ linked }) => linked));
  const folders = [...listed].filter((page) => page.endsWith('/README.md')).map((page) => path.posix.dirname(page));
  const others = pages().filter((page) => page !== 'README.md' && !listed.has(page) && !folders.some((folder) => page.startsWith(`${folder}/`)));
  return [
    { text: 'Home', link: '/' },
    ...sections.map(({ title, linked }) => ({ text: title, items: linked.map((page) => itemWithFolder(page, listed)) })),
    ...(others.length === 0 ? [] : [{ text: 'More', items: others.map(item) }]),
  ];
}

/** The reference: a group for each submodule. */
function referenceSidebar(): SidebarItem[] {
  const all = pages().filter((page) => page.startsWith(REFERENCE));
  const indexes = all.filter((page) => page.endsWith('/README.md') && page !== `${REFERENCE}README.md`);
  return [
    { text: 'Home', link: '/' },
    item(`${REFERENCE}README.md`),
    ...indexes.map((index) => {
      const folder = path.posix.dirname(index);
      return { ...item(index), collapsed: true, items: all.filter((page) => page !== index && path.posix.dirname(page) === folder).map(item) };
    }),
  ];
}

/** Sidebars by the beginning of a page's address. */
export function sidebars(): { readonly [start: string]: readonly SidebarItem[] } {
  return { [`/${REFERENCE}`]: referenceSidebar(), '/': mainSidebar() };
}
