/** The cleanup, really run on folders: what it deletes, and what it never does. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, lutimesSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { CLEANUP_FILE } from '../../../src/manifests/storage/cleanup-job';
import { programText } from '../../../src/programs/program-text';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** One moment for all files, so that those of one age have one time. */
const NOW = Math.floor(Date.now() / 1000);

let base: string;
let root: string;
let program: string;
beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'trainyard-cleanup-'));
  root = path.join(base, 'store');
  program = path.join(base, CLEANUP_FILE);
  mkdirSync(root);
  writeFileSync(program, programText('storage/cleanup.py'));
});
afterEach(() => rmSync(base, { recursive: true }));

/** A file of an age in seconds, with the folders above it. */
function file(name: string, age: number): void {
  const where = path.join(root, name);
  mkdirSync(path.dirname(where), { recursive: true });
  writeFileSync(where, name);
  const time = NOW - age;
  utimesSync(where, time, time);
}

function clean(settings: { readonly [name: string]: string }): { readonly status: number | null; readonly output: string } {
  const env = { PATH: process.env.PATH, CLEANUP_ROOT: root, ...settings };
  const { status, stdout, stderr } = spawnSync('python3', ['-B', '-u', program], { env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** Everything but folders, without following a link. */
function all(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const where = path.join(folder, entry.name);
    return entry.isDirectory() ? all(where) : [path.relative(root, where)];
  }).sort();
}

test('the last few of each series are kept, and what is no checkpoint', () => {
  ['step-1.npz', 'step-2.npz', 'step-10.npz', 'checkpoint-1/w.pt', 'checkpoint-2/w.pt', 'latest', 'config.json', 'events.out.tfevents.1'].forEach((name) => file(`train/${name}`, HOUR));
  expect(clean({ CLEANUP_KEEP_LAST: '1' })).toEqual({
    status: 0,
    output: expect.stringContaining('deleted 3, kept 2, failed 0'),
  });
  expect(all()).toEqual(['train/checkpoint-2/w.pt', 'train/config.json', 'train/events.out.tfevents.1', 'train/latest', 'train/step-10.npz']);
});

test.each<[string, readonly string[], readonly string[]]>([
  ['the helpers', ['step-00000100.npz', 'step-00000250.npz'], ['step-00000250.npz']],
  ['Hugging Face', ['checkpoint-500/w', 'checkpoint-1000/w'], ['checkpoint-1000/w']],
  ['Megatron', ['iter_0000100/w', 'iter_0000200/w', 'latest_checkpointed_iteration.txt'], ['iter_0000200/w', 'latest_checkpointed_iteration.txt']],
  ['DeepSpeed', ['global_step100/w', 'global_step200/w', 'latest'], ['global_step200/w', 'latest']],
  ['Lightning', ['epoch=1-step=200.ckpt', 'epoch=2-step=400.ckpt'], ['epoch=2-step=400.ckpt']],
  ['TensorFlow', ['ckpt-1.index', 'ckpt-2.index', 'ckpt-1.data-00000-of-00001', 'ckpt-2.data-00000-of-00001', 'checkpoint'], ['checkpoint', 'ckpt-2.data-00000-of-00001', 'ckpt-2.index']],
  ['Orbax', ['100/_CHECKPOINT_METADATA', '100/d/w', '200/_CHECKPOINT_METADATA', '200/d/w'], ['200/_CHECKPOINT_METADATA', '200/d/w']],
  ['several ranks', ['step-1-rank0.pt', 'step-1-rank1.pt', 'step-2-rank0.pt', 'step-2-rank1.pt'], ['step-2-rank0.pt', 'step-2-rank1.pt']],
  ['years, which are none', ['2024/a', '2025/a', '2026/a'], ['2024/a', '2025/a', '2026/a']],
  ['shards of a model, which are none', ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'], ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors']],
])('the names of %s', (_what, written, kept) => {
  written.forEach((name) => file(`train/${name}`, HOUR));
  expect(clean({ CLEANUP_KEEP_LAST: '1' }).status).toBe(0);
  expect(all()).toEqual(kept.map((name) => `train/${name}`));
});

test('a pattern of the user\'s says what a checkpoint is', () => {
  ['run-1.bin', 'run-2.bin', 'step-1', 'step-2'].forEach((name) => file(`train/${name}`, HOUR));
  clean({ CLEANUP_KEEP_LAST: '1', CLEANUP_PATTERN: 'run-(?P<step>[0-9]+)' });
  expect(all()).toEqual(['train/run-2.bin', 'train/step-1', 'train/step-2']);
});

test('what is older than the age goes, the newest never', () => {
  file('a/step-1', 9 * DAY);
  file('a/step-2', 8 * DAY);
  file('a/step-3', 6 * DAY);
  file('b/step-1', 99 * DAY);
  clean({ CLEANUP_MAX_AGE_SECONDS: String(7 * DAY) });
  expect(all()).toEqual(['a/step-3', 'b/step-1']);
});

test('what was changed a moment ago is neither counted nor deleted', () => {
  file('train/step-1', HOUR);
  file('train/step-2', HOUR);
  file('train/step-3', 5);
  expect(clean({ CLEANUP_KEEP_LAST: '1' }).output).toContain('step-1: more than are kept');
  expect(all()).toEqual(['train/step-2', 'train/step-3']);
});

test('a folder is as old as its newest file, and one that is still being written to stays', () => {
  file('train/step-1/a', HOUR);
  file('train/step-1/b', 5);
  file('train/step-2/a', HOUR);
  file('train/step-3/a', HOUR);
  clean({ CLEANUP_KEEP_LAST: '1' });
  expect(all()).toEqual(['train/step-1/a', 'train/step-1/b', 'train/step-3/a']);
});

test('a run that began anew keeps what it has just saved beside the last steps of the one before', () => {
  file('train/step-900', 3 * DAY);
  file('train/step-800', 4 * DAY);
  file('train/step-50', HOUR);
  clean({ CLEANUP_KEEP_LAST: '1' });
  expect(all()).toEqual(['train/step-50', 'train/step-900']);
});

test('folders of jobs are no checkpoints, however they are called, unless the root has checkpoints', () => {
  ['step-1/step-1', 'step-2/step-1', 'step-3/step-1'].forEach((name) => file(name, HOUR));
  clean({ CLEANUP_KEEP_LAST: '1' });
  expect(all()).toHaveLength(3);
  clean({ CLEANUP_KEEP_LAST: '1', CLEANUP_IN_ROOT: 'true' });
  expect(all()).toEqual(['step-3/step-1']);
});

test('links are not followed, stay, and what they point at beside them is kept', () => {
  const outside = path.join(base, 'outside');
  mkdirSync(outside);
  ['step-1', 'step-2', 'step-3'].forEach((name) => file(`../outside/${name}`, DAY));
  ['step-1', 'step-2', 'step-3', 'step-4'].forEach((name) => file(`train/${name}/w`, DAY));
  symlinkSync(outside, path.join(root, 'train', 'elsewhere'));
  symlinkSync('step-1', path.join(root, 'train', 'best'));
  symlinkSync(outside, path.join(root, 'train', 'step-2', 'data'));
  lutimesSync(path.join(root, 'train', 'step-2', 'data'), NOW - DAY, NOW - DAY);
  symlinkSync(outside, path.join(root, 'train', 'step-9'));
  clean({ CLEANUP_KEEP_LAST: '1' });
  expect(readdirSync(path.join(root, 'train')).sort()).toEqual(['best', 'elsewhere', 'step-1', 'step-4', 'step-9']);
  expect(readdirSync(outside).sort()).toEqual(['step-1', 'step-2', 'step-3']);
});

test('what a cleanup left over that was ended in the middle goes, and a link with such a name stays', () => {
  file('train/.deleting-step-1/w', HOUR);
  file('../outside/w', HOUR);
  symlinkSync(path.join(base, 'outside'), path.join(root, 'train', '.deleting-step-2'));
  file('train/step-3', HOUR);
  clean({ CLEANUP_KEEP_LAST: '2' });
  expect(all()).toEqual(['train/.deleting-step-2', 'train/step-3']);
  expect(existsSync(path.join(base, 'outside', 'w'))).toBe(true);
});

test('a dry run deletes nothing and says what it would', () => {
  ['step-1', 'step-2'].forEach((name) => file(`train/${name}`, HOUR));
  expect(clean({ CLEANUP_KEEP_LAST: '1', CLEANUP_DRY_RUN: 'true' }).output).toBe(`would delete ${root}/train/step-1: more than are kept\nwould delete 1, kept 1, failed 0\n`);
  expect(all()).toHaveLength(2);
});

test('a root that is a link, or not there, is an error', () => {
  symlinkSync(root, path.join(base, 'link'));
  expect(clean({ CLEANUP_KEEP_LAST: '1', CLEANUP_ROOT: path.join(base, 'link') }).status).toBe(1);
  expect(clean({ CLEANUP_KEEP_LAST: '1', CLEANUP_ROOT: path.join(base, 'none') }).status).toBe(1);
});

const ENTRY = fc.record({
  job: fc.constantFrom('a', 'b', 'step-7', 'a/index-0'),
  series: fc.constantFrom('step-', 'checkpoint-', 'epoch='),
  step: fc.integer({ min: 0, max: 30 }),
  folder: fc.boolean(),
  age: fc.constantFrom(5, HOUR, DAY, 8 * DAY, 90 * DAY),
});
const LINK = fc.record({ job: fc.constantFrom('a', 'b'), name: fc.constantFrom('latest', 'step-99', 'data'), target: fc.constantFrom('../../outside', '..', 'step-3', '/') });

test('whatever lies there: each series keeps its newest, the newest few stay, nothing outside is touched, and a second run finds nothing', () => {
  fc.assert(fc.property(
    fc.array(ENTRY, { maxLength: 25 }), fc.array(LINK, { maxLength: 4 }), fc.option(fc.integer({ min: 1, max: 4 })),
    fc.option(fc.constantFrom(2 * HOUR, 7 * DAY)),
    (entries, links, keepLast, maxAge) => {
      rmSync(root, { recursive: true });
      mkdirSync(root);
      file('../outside/step-1', 99 * DAY);
      file('../outside/step-2', 99 * DAY);
      const series = new Map<string, Map<number, { readonly age: number; readonly path: string }>>();
      for (const { job, series: prefix, step, folder, age } of entries) {
        const name = `${job}/${prefix}${step}`;
        if (!existsSync(path.join(root, name))) {
          file(folder ? `${name}/weights` : name, age);
          const key = `${job}/${prefix}`;
          series.set(key, (series.get(key) ?? new Map()).set(step, { age, path: name }));
        }
      }
      for (const { job, name, target } of links) {
        mkdirSync(path.join(root, job), { recursive: true });
        if (!existsSync(path.join(root, job, name)) && !lstatSync(path.join(root, job, name), { throwIfNoEntry: false })) {
          symlinkSync(target, path.join(root, job, name));
        }
      }
      const settings = {
        ...(keepLast !== null && { CLEANUP_KEEP_LAST: String(keepLast) }), ...(maxAge !== null && { CLEANUP_MAX_AGE_SECONDS: String(maxAge) }),
      };
      expect(clean(settings).status).toBe(0);
      expect(readdirSync(path.join(base, 'outside')).sort()).toEqual(['step-1', 'step-2']);
      for (const members of series.values()) {
        const sorted = [...members].sort(([left], [right]) => right - left).map(([, member]) => member);
        const settled = sorted.filter(({ age }) => age > 600);
        const there = (member: { readonly path: string }) => existsSync(path.join(root, member.path));
        // What is being written, and the newest of the rest, are always there.
        expect(sorted.filter(({ age }) => age <= 600).every(there)).toBe(true);
        expect(settled.slice(0, 1).every(there)).toBe(true);
        if (maxAge === null) {
          expect(settled.slice(0, keepLast ?? undefined).every(there)).toBe(true);
        }
        // Nothing is deleted without a reason.
        settled.filter((member) => !there(member)).forEach((member) => {
          expect((keepLast !== null && settled.indexOf(member) >= keepLast) || (maxAge !== null && member.age > maxAge)).toBe(true);
        });
      }
      expect(clean(settings).output).toContain('deleted 0,');
    },
  ), { numRuns: 30 });
}, 120_000);
