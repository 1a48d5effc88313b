import { PathMapper } from '../../../src/local/process/local-path';

const mapper = new PathMapper([
  { containerPath: '/data', localPath: '/home/me/claims/data' },
  { containerPath: '/data/cache/', localPath: '/tmp/cache' },
  { containerPath: '/job/hostfile', localPath: '/tmp/hostfile' },
]);

test.each([
  ['/data', '/home/me/claims/data'],
  ['/data/train.csv', '/home/me/claims/data/train.csv'],
  ['/data/cache/x', '/tmp/cache/x'],
  ['--out=/data/x', '--out=/home/me/claims/data/x'],
  ['python train.py --in /data/a --out "/data/b"', 'python train.py --in /home/me/claims/data/a --out "/home/me/claims/data/b"'],
  ['{"path":"/data/x"}', '{"path":"/home/me/claims/data/x"}'],
  ['/data:/data/cache', '/home/me/claims/data:/tmp/cache'],
  ['-F /job/hostfile -v', '-F /tmp/hostfile -v'],
])('rewrites %j', (text, rewritten) => {
  expect(mapper.rewrite(text)).toBe(rewritten);
});

test.each(['/database/x', '/data2', 's3://bucket/data/x', 'file:///data/x', '/mnt/data', 'https://host/data', './data/x', 'data/x', '/job/hostfile2'])(
  'leaves %j as it is', (text) => {
    expect(mapper.rewrite(text)).toBe(text);
  });

test('maps a path by the deepest folder that holds it', () => {
  expect(mapper.tryMap('/data/cache/a/b')).toBe('/tmp/cache/a/b');
  expect(mapper.tryMap('/data/b')).toBe('/home/me/claims/data/b');
  expect(mapper.tryMap('/elsewhere')).toBeUndefined();
});

test('takes the first of two mappings for one path', () => {
  const twice = new PathMapper([{ containerPath: '/ckpt', localPath: '/volume' }, { containerPath: '/ckpt', localPath: '/other' }]);
  expect(twice.rewrite('/ckpt/1')).toBe('/volume/1');
  expect(twice.tryMap('/ckpt/1')).toBe('/volume/1');
});

test('changes nothing without mappings', () => {
  expect(new PathMapper([]).rewrite('/data/x')).toBe('/data/x');
});
