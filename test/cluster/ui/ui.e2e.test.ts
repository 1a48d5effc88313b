/**
 * The pages of `trainyard ui` in a real browser, on a real API server with our operator and jobs that are processes. Needs Chromium
 * (`npm run browser:install`); without it these tests are skipped. `TRAINYARD_RECORD_DOCS=1` writes the pictures of the docs.
 */
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { clusterSource } from '../../../src/cli/ui/cluster-source';
import { readPages } from '../../../src/cli/ui/server/answers';
import { LocalAccess } from '../../../src/cli/ui/server/local-access';
import { UiServer } from '../../../src/cli/ui/server/server';
import { NO_PRICES, type PriceTable } from '../../../src/model/cost/prices';
import { DevEnvironment } from '../../../src/local/dev/dev-environment';
import { loadConnection } from '../../../src/operator/runtime/credentials/kubeconfig';
import { KubeClient } from '../../../src/operator/runtime/kube-client';
import type { KubeObject } from '../../../src/operator/runtime/kube-object';
import { TRAINING_JOBS } from '../../../src/operator/training/resources';
import { browserProgram } from '../../../scripts/install-browser.cjs';
import { temporaryFolder } from '../../local/support/temporary-folder';

const ROOT = path.join(__dirname, '..', '..', '..');
const ASSETS = path.join(ROOT, 'assets', 'ui');
const PICTURES = path.join(ROOT, 'docs', 'cli');
const program = browserProgram();
const folder = temporaryFolder();

let environment: DevEnvironment;
let client: KubeClient;
let server: LocalServer;
let browser: Browser;

/** What scripts of the pages threw. */
const pageErrors: Error[] = [];

/** Reports, and goes on until a file is there. */
const TRAINING = (until: string) => [
  'import os, sys, time',
  `sys.path.insert(0, ${JSON.stringify(path.join(ROOT, 'examples', 'quickstart'))})`,
  'import trainyard_progress as progress',
  'for step in range(1, 46):',
  '    print(f"step {step} loss {1 / step:.3f}", flush=True)',
  'progress.INTERVAL = 0.2',
  'for step in range(1, 45, 3):',
  '    progress.report(step, {"loss": round(1 / step, 4), "accuracy": round(0.91 - 0.5 / step, 3)})',
  '    time.sleep(0.8)',
  'print("<img src=x onerror=\\"window.hacked=1\\"> \\x1b[31mred", flush=True)',
  'progress.report(45, {"loss": 0.0222, "accuracy": 0.91})',
  'progress.checkpoint("/checkpoints/step-45", 45)',
  `while not os.path.exists(${JSON.stringify(until)}): time.sleep(0.1)`,
].join('\n');

async function create(name: string, spec: object): Promise<void> {
  const complete = { framework: 'plain', image: 'registry.example/train:1', replicas: 2, ...spec };
  await client.create(TRAINING_JOBS, { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name, namespace: 'default' }, spec: complete } as KubeObject);
}

interface LocalServer {
  readonly url: string;
  close(): void;
}

async function serve(canChange: boolean): Promise<LocalServer> {
  // Pictures in the docs have no path of this machine.
  const prices: PriceTable = { ...NO_PRICES, date: '2026-11-20', currency: 'USD', region: 'europe-west4', cpu: { onDemand: 0.04 }, memory: { onDemand: 0.005 } };
  const access = new LocalAccess(clusterSource(client, { namespace: 'default', canChange, howToChange: '', cluster: 'https://cluster.example/' }, { prices }));
  const started = await UiServer.start({ access, pages: readPages(ASSETS) });
  return { url: access.address(started.origin), close: () => started.close() };
}

/** Opens the pages. @param options `isHeld`: with a clock that stands, so no effect of a page runs */
async function open(at: LocalServer, options: {
  readonly colorScheme?: 'light' | 'dark'; readonly width?: number; readonly height?: number; readonly isHeld?: boolean;
} = {}): Promise<Page> {
  const { width = 1280, height = 900, colorScheme = 'light', isHeld = false } = options;
  const context = await browser.newContext({ colorScheme, viewport: { width, height } });
  // A busy machine takes longer; states are waited for, and not times.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => pageErrors.push(error));
  if (isHeld) {
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
  }
  await page.goto(at.url);
  return page;
}

/** What a browser says against a page. */
async function objections(page: Page): Promise<readonly string[]> {
  // By the debugger: the page's own rules let no other script in.
  const { violations } = await page.evaluate(`(() => { ${axe.source}; return axe.run(document, { resultTypes: ['violations'] }); })()`) as axe.AxeResults;
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

(program === undefined ? describe.skip : describe)('in a browser', () => {
  beforeAll(async () => {
    environment = await DevEnvironment.start({
      workingDir: folder, operatorProgram: path.join(ROOT, 'assets', 'operator.mjs.br'), onLine: () => undefined, notice: () => undefined, warn: () => undefined,
    });
    client = new KubeClient({ connection: await loadConnection({ kubeconfig: environment.kubeconfig }) });
    server = await serve(false);
    browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
    await create('digits', { command: ['python3', '-c', TRAINING(path.join(folder, 'done'))], hyperparameters: { LEARNING_RATE: '0.1' } });
    await create('broken', { replicas: 1, command: ['sh', '-c', 'echo "<b>data.csv</b>: no such file"; exit 3'], runPolicy: { restartPolicy: 'Never' } });
    await create('asleep', { suspend: true });
    const parameters = { batchSize: { type: 'categorical', values: [16, 32, 64] }, learningRate: { type: 'float', min: 0.001, max: 0.1, scale: 'log' } };
    await create('tunes', {
      replicas: 1, command: ['sh', '-c', 'echo accuracy=0.$BATCH_SIZE'], autoTuning: { objective: 'accuracy', parameters, maxTrials: 6, parallelTrials: 2, seed: 1 },
    });
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
    client?.close();
    await environment?.stop(0);
  });

  afterEach(() => expect(pageErrors).toEqual([]));

  test('jobs are listed live, and filters stand in the address', async () => {
    const page = await open(server);
    await row(page, 'digits').getByText('45 %').waitFor();
    await row(page, 'broken').getByText('Failed').waitFor();
    await row(page, 'asleep').getByText('Suspended').waitFor();
    await page.getByLabel('State').selectOption('Failed');
    await row(page, 'digits').waitFor({ state: 'detached' });
    expect(page.url()).toContain('#/?state=Failed');
    const shared = await open(server);
    await shared.goto(page.url());
    await row(shared, 'broken').waitFor();
    await row(shared, 'digits').waitFor({ state: 'detached' });
    await shared.getByLabel('Text').fill('nothing like it');
    await shared.getByText('No job matches the filters.').waitFor();
    await page.getByText('read-only').waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });

  test('an address that changes before the page listens is followed', async () => {
    const page = await open(server, { isHeld: true });
    await page.goto(page.url().replace(/#.*|$/, '#/?state=Failed'));
    await page.clock.resume();
    await row(page, 'broken').waitFor();
    expect(await row(page, 'digits').count()).toBe(0);
  });

  test('a job shows its progress, metrics, replicas and log, and runs no script of theirs', async () => {
    const page = await open(server);
    await page.getByRole('link', { name: 'digits' }).click();
    await page.getByRole('heading', { name: /^digits/ }).waitFor();
    await page.getByRole('img', { name: /^loss: [3-9] values/ }).waitFor();
    await page.getByText('/checkpoints/step-45, step 45').first().waitFor();
    await page.getByRole('button', { name: /^rank 1/ }).click();
    await page.getByText('Logs of rank 1').click();
    await page.getByRole('log').getByText('<img src=x onerror="window.hacked=1">').waitFor();
    await page.getByLabel('Search').fill('step 44');
    await page.getByText('1 of 46 lines').waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    await page.getByText('Object', { exact: true }).click();
    await page.getByText('LEARNING_RATE: "0.1"').waitFor();
  });

  test('a job that failed shows why', async () => {
    const page = await open(server);
    await page.getByRole('link', { name: 'broken' }).click();
    await page.getByText(/exit code 3/).first().waitFor();
    await page.getByText('<b>data.csv</b>: no such file').first().waitFor();
  });

  test.each([['light', 1280], ['dark', 1280], ['light', 390]] as const)('nothing is in the way of people who cannot see or point, %s, %d pixels wide', async (colorScheme, width) => {
    const page = await open(server, { colorScheme, width, height: 844 });
    await row(page, 'digits').getByText('45 %').waitFor();
    expect(await objections(page)).toEqual([]);
    if (process.env.TRAINYARD_RECORD_DOCS && width > 1000) {
      await page.screenshot({ path: path.join(PICTURES, `ui-jobs-${colorScheme}.png`) });
    }
    await page.getByRole('link', { name: 'digits' }).click();
    await page.getByRole('img', { name: /^loss/ }).waitFor();
    expect(await objections(page)).toEqual([]);
    // Nothing is wider than the page.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    if (process.env.TRAINYARD_RECORD_DOCS) {
      await page.screenshot({ path: path.join(PICTURES, width > 1000 ? `ui-job-${colorScheme}.png` : 'ui-job-phone.png') });
    }
  });

  test('searches, nodes and costs have pages that can be shared', async () => {
    const page = await open(server);
    const shown = async (link: string, name: string) => {
      await page.getByRole('navigation').getByRole('link', { name: link }).click();
      await page.getByRole('heading', { name: link, level: 1 }).waitFor();
      return { picture: async () => {
        expect(await objections(page)).toEqual([]);
        if (process.env.TRAINYARD_RECORD_DOCS) {
          await page.screenshot({ path: path.join(PICTURES, `ui-${name}.png`) });
        }
      } };
    };
    const searches = await shown('Searches', 'searches');
    await page.getByText('0 running, 6 completed, 0 stopped early, 0 failed.').waitFor();
    await page.getByRole('img', { name: /^6 trials, from 0\.\d+ to 0\.\d+, best 0\.\d+$/ }).waitFor();
    await page.getByRole('img', { name: /^Parallel coordinates of 6 trials: batchSize from 16 to 64; learningRate from 0.001 to 0.1; accuracy/ }).waitFor();
    expect(await page.getByRole('region', { name: 'Trials of tunes' }).getByRole('row').count()).toBe(7);
    await searches.picture();
    await page.getByRole('link', { name: 'tunes' }).first().click();
    await page.waitForURL(/#\/searches\?search=default%2FMLTrainingJob%2Ftunes$/);

    const nodes = await shown('Nodes', 'nodes');
    const node = page.getByRole('region', { name: 'Nodes: Without accelerators' }).getByRole('row').nth(1);
    await node.getByText('Ready', { exact: true }).waitFor();
    await node.getByRole('link', { name: 'digits' }).waitFor();
    await node.getByText('(2 pods)').waitFor();
    await nodes.picture();

    const costs = await shown('Cost', 'costs');
    await page.getByRole('region', { name: 'Teams' }).getByRole('row').filter({ hasText: 'default' }).waitFor();
    await page.getByText('Prices in USD, of europe-west4, of 2026-11-20.').waitFor();
    await page.getByText('A team is a namespace.').waitFor();
    await costs.picture();
  });

  test('what can be changed is asked for first, and done', async () => {
    const changing = await serve(true);
    try {
      const page = await open(changing);
      await page.getByRole('link', { name: 'asleep' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'No', exact: true }).click();
      expect(await client.tryGet(TRAINING_JOBS, { namespace: 'default', name: 'asleep' })).toBeDefined();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Yes, delete' }).click();
      await page.getByText('MLTrainingJob default/asleep is deleted.').waitFor();
      await page.getByRole('link', { name: 'All jobs' }).click();
      await row(page, 'asleep').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'broken' }).click();
      await page.getByRole('button', { name: 'Run again' }).click();
      await page.getByRole('button', { name: 'Yes, run again' }).click();
      await page.getByText('MLTrainingJob default/broken-2 is created from broken.').waitFor();
    } finally {
      changing.close();
    }
  });

  test('the end of a job comes by itself, and the loss of the server is told', async () => {
    const other = await serve(false);
    const page = await open(other);
    await row(page, 'digits').getByText('Running').waitFor();
    fs.writeFileSync(path.join(folder, 'done'), '');
    await row(page, 'digits').getByText('Completed').waitFor();
    other.close();
    await page.getByText('The connection is lost.').waitFor();
  });
});

test('the pages are small', () => {
  const bytes = fs.readdirSync(ASSETS).map((name) => gzipSync(fs.readFileSync(path.join(ASSETS, name))).length);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100 * 1024);
});
