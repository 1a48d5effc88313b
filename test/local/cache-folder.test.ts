import os from 'node:os';
import path from 'node:path';
import { cacheFolder } from '../../src/local/cache-folder';

test('the cache is TRAINYARD_CACHE, else under XDG_CACHE_HOME, else under ~/.cache', () => {
  expect(cacheFolder({ TRAINYARD_CACHE: '/mine', XDG_CACHE_HOME: '/xdg' })).toBe('/mine');
  expect(cacheFolder({ XDG_CACHE_HOME: '/xdg' })).toBe('/xdg/trainyard');
  expect(cacheFolder({})).toBe(path.join(os.homedir(), '.cache', 'trainyard'));
});
