/** Reads XML as strictly as browsers do for SVG: whatever is not well-formed is an error. Enough of XML 1.0 for what is written here. */

/** An element with its attributes, its own text and what it holds. */
export interface Element {
  readonly name: string;
  readonly attributes: { readonly [name: string]: string };
  readonly children: Element[];
  text: string;
}

/** Reads a document. @throws Error where it is not well-formed */
export function parseXml(text: string): Element {
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.test(text)) {
    throw new Error('A character that XML cannot hold');
  }
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  let position = 0;
  for (const match of text.matchAll(/<(\/?)([a-zA-Z][\w:-]*)((?:\s+[a-zA-Z][\w:-]*="[^"<]*")*)\s*(\/?)>/g)) {
    addText(open[open.length - 1], text.slice(position, match.index));
    position = match.index + match[0].length;
    const [, isEnd, name, attributes, isEmpty] = match;
    if (isEnd) {
      const ended = open.pop()!;
      if (ended.name !== name) {
        throw new Error(`</${name}> ends <${ended.name}>`);
      }
      continue;
    }
    const element: Element = { name, attributes: parseAttributes(attributes), children: [], text: '' };
    open[open.length - 1].children.push(element);
    if (!isEmpty) {
      open.push(element);
    }
  }
  addText(open[open.length - 1], text.slice(position));
  if (open.length !== 1 || root.children.length !== 1 || root.text.trim() !== '') {
    throw new Error(`${open.length - 1} elements are open at the end, ${root.children.length} are at the top`);
  }
  return root.children[0];
}

/** An element and all below it. */
export function allElements(element: Element): Element[] {
  return [element, ...element.children.flatMap(allElements)];
}

function addText(element: Element, text: string): void {
  element.text += decoded(text);
}

function parseAttributes(text: string): { [name: string]: string } {
  const pairs = [...text.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name, value]) => [name, decoded(value)] as const);
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) {
    throw new Error(`An attribute twice in ${text}`);
  }
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  if (/[<>]/.test(text)) {
    throw new Error(`Markup that is none: ${text}`);
  }
  return text.replace(/&(?:#(\d+);)?/g, (_entity, code: string | undefined) => {
    if (code === undefined) {
      throw new Error(`An & that begins no number: ${text}`);
    }
    return String.fromCodePoint(Number(code));
  });
}
