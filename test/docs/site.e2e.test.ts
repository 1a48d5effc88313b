/**
 * The documentation site: it builds without a warning, its links lead to pages and sections that exist, and a browser shows it without asking
 * another host. The last part is skipped where there is no Chromium.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { ROOT } from './support/named-tests';
import { browserProgram } from '../../scripts/install-browser.cjs';
import { pages, rewritten, sidebars, type SidebarItem } from '../../scripts/site/pages';
import { temporaryFolder } from '../local/support/temporary-folder';
import { SNIPPETS } from '../support/snippets';

const site = path.join(temporaryFolder(), 'site');
const program = browserProgram();
const htmlOf = (page: string) => readFileSync(path.join(site, rewritten(page).replace(/\.md$/, '.html')), 'utf8');

let output: string;
beforeAll(async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', 'docs', '--outDir', site], { cwd: ROOT });
  output = stripVTControlCharacters(`${stdout}\n${stderr}`);
}, 600_000);

test('it builds without a warning, and has every page', () => {
  expect(output).toContain('build complete');
  expect(output).not.toMatch(/\(!\)|warn|dead link|not loaded/i);
  expect(pages().filter((page) => !existsSync(path.join(site, rewritten(page).replace(/\.md$/, '.html'))))).toEqual([]);
});

test('every page is in a sidebar', () => {
  const linksOf = ({ link, items = [] }: SidebarItem): (string | undefined)[] => [link, ...items.flatMap(linksOf)];
  const listed = new Set(Object.values(sidebars()).flat().flatMap(linksOf));
  expect(pages().filter((page) => page !== 'README.md' && !listed.has(`/${rewritten(page)}`))).toEqual([]);
});

test('every section that a page links to is there', () => {
  const idsOf = new Map(pages().map((page) => [`/${rewritten(page).replace(/\.md$/, '.html')}`, new Set([...htmlOf(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]));
  const links = pages().flatMap((page) => {
    const from = `/${rewritten(page).replace(/\.md$/, '.html')}`;
    return [...htmlOf(page).matchAll(/<a href="([^"#:]*)#([^"]+)"/g)].map(([, target, id]) => (
      { page, file: target === '' ? from : path.posix.resolve(path.posix.dirname(from), target.replace(/\/$/, '/index.html')), id: decodeURIComponent(id) }));
  });
  expect(links.length).toBeGreaterThan(1000);
  expect(links.filter(({ file, id }) => !idsOf.get(file)?.has(id) && id !== 'VPContent')).toEqual([]);
});

test('a program that stands in two languages has a tab for each', () => {
  const twins = SNIPPETS.filter(({ python, where }) => python !== undefined && where.startsWith('docs/'));
  expect(twins.length).toBeGreaterThan(8);
  for (const { where } of twins) {
    const html = htmlOf(where.slice('docs/'.length).split(',')[0]);
    expect([where, ...(/<div class="vp-code-group[\s\S]*?<div class="blocks">/.exec(html)?.[0].match(/>(?:TypeScript|Python)</g) ?? [])]).toEqual([where, '>TypeScript<', '>Python<']);
  }
});

test('every page begins with what it is about', () => {
  const first = pages().filter((page) => !page.startsWith('reference/')).map((page) => ({ page, text: /<h1[\s\S]*?<\/h1>(?:<!--[\s\S]*?-->|\s)*<(\w+)/.exec(htmlOf(page))?.[1] }));
  // Commands of the CLI begin with how they are called.
  expect(first.filter(({ page, text }) => text !== 'p' && !(text === 'div' && page.startsWith('cli/'))).map(({ page }) => page)).toEqual([]);
});

(program === undefined ? describe.skip : describe)('in Chromium', () => {
  const asked = new Set<string>();
  let browser: Browser;
  let server: http.Server;
  let origin: string;

  beforeAll(async () => {
    const types: { readonly [ending: string]: string } = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png' };
    server = http.createServer((request, response) => {
      const { pathname } = new URL(request.url!, 'http://localhost');
      const file = path.join(site, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
      if (!existsSync(file)) {
        response.writeHead(404).end();
        return;
      }
      response.setHeader('Content-Type', types[path.extname(file)] ?? 'application/octet-stream').end(readFileSync(file));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox'] });
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
    // All of what is above, together.
    expect([...asked]).toEqual([origin]);
  });

  async function open(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    page.on('request', (request) => request.url().startsWith('data:') || asked.add(new URL(request.url()).origin));
    page.on('pageerror', (error) => {
      throw error;
    });
    await page.goto(`${origin}${address}`);
    // Handlers are there.
    await page.locator('html:has(#app > .Layout)').waitFor();
    return page;
  }

  async function seriousIssues(page: Page): Promise<string[]> {
    const { violations } = await page.evaluate(`(() => { ${axe.source}; return axe.run(document, { resultTypes: ['violations'] }); })()`) as axe.AxeResults;
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
  }

  test.each(['light', 'dark'] as const)('home, tutorial, reference and diagrams have no serious issue: %s', async (colorScheme) => {
    const shown = { '/': 'You train models', '/tutorial.html': 'A first job', '/reference/core/training-job.html': 'hyperparameters', '/concepts.html': 'Life of a failure', '/warnings.html': 'image-tag' };
    for (const [address, text] of Object.entries(shown)) {
      const page = await open(address, { colorScheme });
      await page.locator('main').getByText(text).first().waitFor();
      expect(await page.locator('html.dark').count()).toBe(colorScheme === 'dark' ? 1 : 0);
      expect({ address, issues: await seriousIssues(page) }).toEqual({ address, issues: [] });
      await page.context().close();
    }
  }, 600_000);

  test('diagrams are drawn, with a title', async () => {
    const page = await open('/concepts.html');
    expect(await page.getByRole('img', { name: /Layers of Trainyard|Phases of a job|How a failure/ }).count()).toBe(3);
    expect(await page.locator('main').getByText('accTitle').count()).toBe(0);
  });

  test('the search finds a page, and opens it', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('image-tag');
    await page.getByRole('option').filter({ hasText: 'Warnings' }).first().click();
    await page.waitForURL(/warnings/);
    await page.locator('main').getByText('image-tag').first().waitFor();
  });

  test('on a phone, the sidebar opens, and no page is wider than the screen', async () => {
    for (const address of ['/', '/tutorial.html', '/concepts.html', '/warnings.html']) {
      const page = await open(address, { viewport: { width: 390, height: 800 } });
      expect({ address, width: await page.evaluate('document.documentElement.scrollWidth') }).toEqual({ address, width: 390 });
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.locator('.VPSidebar').getByRole('link', { name: 'Troubleshooting' }).waitFor();
      await page.context().close();
    }
  });

  test('the sidebar leads to pages of all three paths', async () => {
    const page = await open('/');
    for (const name of ['For data scientists', 'For platform engineers', 'From Kubeflow and other controllers']) {
      await page.locator('.VPSidebar').getByRole('heading', { name }).waitFor();
    }
    await page.locator('.VPSidebar').getByRole('link', { name: 'TrainingOperator' }).click();
    await page.locator('main').getByRole('heading', { name: 'TrainingOperator', level: 1 }).waitFor();
  });
});
