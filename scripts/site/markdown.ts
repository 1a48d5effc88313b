/** What makes pages for GitHub into pages of the site: names of sections, links out of docs/, diagrams. */
import path from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';
import { rewritten } from './pages';

/** The name of a section, as GitHub makes it of its heading. */
export function slug(heading: string): string {
  return heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-');
}

/**
 * Where a link of a page leads on the site: index pages have other names there, and what is not in docs/ is in the repository.
 * @param page from docs/ on
 */
export function siteLink(href: string, page: string, repository: string): string {
  if (/^([a-z]+:|#|\/)/.test(href)) {
    return href;
  }
  const [target, anchor] = href.split('#');
  const file = path.posix.join('docs', path.posix.dirname(page), target);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  return file.startsWith('docs/') ? `${rewritten(target)}${hash}` : `${repository}/blob/main/${file}${hash}`;
}

/** A diagram as part of the page, in its colours. `accTitle` is what it shows, for readers who do not see it. */
function diagram(code: string): string {
  const title = /^\s*accTitle: (.*)$/m.exec(code)?.[1] ?? 'Diagram';
  const svg = renderMermaidSVG(code.replace(/^\s*accTitle: .*\n/m, ''), { transparent: true, font: 'inherit', padding: 8 });
  // Its own style asks Google for a font; docs/.vitepress/theme/site.css has the colours.
  const plain = svg.replace(/<style>[\s\S]*?<\/style>/, '').replace(/ style="[^"]*"/, '');
  return `<figure class="diagram" tabindex="0" v-pre>${plain.replace('<svg ', `<svg role="img" aria-label="${title.replaceAll('"', '&quot;')}" `)}</figure>`;
}

/** A program in TypeScript and the same one in Python right after it share a place, with a tab for each. */
export function withTabs(page: string): string {
  return page.replace(/^```ts\n([^`]*?)^```\n\n```python\n([^`]*?)^```$/gm, (_blocks, typescript: string, python: string) => (
    `::: code-group\n\n\`\`\`ts [TypeScript]\n${typescript}\`\`\`\n\n\`\`\`python [Python]\n${python}\`\`\`\n\n:::`));
}

/** Adds all of it to VitePress' renderer. @param repository address of the repository in a browser */
export function extendMarkdown(markdown: MarkdownRenderer, repository: string): void {
  markdown.core.ruler.before('normalize', 'tabs', (state) => {
    state.src = withTabs(state.src);
  });
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')) {
      token.attrSet('href', siteLink(token.attrGet('href') ?? '', (env as { readonly relativePath: string }).relativePath, repository));
    }
  });
  // Indented blocks are commands, and look like other code.
  markdown.core.ruler.push('indented-commands', ({ tokens }) => {
    for (const token of tokens.filter(({ type }) => type === 'code_block')) {
      Object.assign(token, { type: 'fence', info: 'sh' });
    }
  });
  // Pages are templates of Vue: braces of a page are no expressions.
  for (const name of ['text', 'code_inline']) {
    const render = markdown.renderer.rules[name]!;
    markdown.renderer.rules[name] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
  }
  const fence = markdown.renderer.rules.fence!;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => (
    tokens[index].info.trim() === 'mermaid' ? diagram(tokens[index].content) : fence(tokens, index, ...rest));
}
