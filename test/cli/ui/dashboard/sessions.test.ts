/** What is in a user's cookie, and who can read or change it. */
import fs from 'node:fs';
import path from 'node:path';
import { MAX_SEALED, SessionSeals, expiryOf } from '../../../../src/cli/ui/dashboard/sessions';
import { temporaryFolder } from '../../../local/support/temporary-folder';

const folder = temporaryFolder();
const [OLD, NEW] = ['o', 'n'].map((letter) => Buffer.from(letter.repeat(44)));
const session = { token: 'abc.def.ghi', expiresAt: 1_000 };

test('a session is what was sealed, and is not readable', () => {
  const seals = SessionSeals.ofProcess();
  const sealed = seals.seal(session);
  expect(sealed).toMatch(/^[\w-]+$/);
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('abc');
  expect(seals.open(sealed, 999)).toEqual(session);
  expect(seals.seal(session)).not.toBe(sealed);
});

test('a session that has ended, was changed anywhere, cut or sealed by somebody else is none', () => {
  const seals = new SessionSeals([NEW]);
  const sealed = seals.seal(session);
  expect(seals.open(sealed, 1_000)).toBeUndefined();
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] ^= 1;
    expect(seals.open(changed.toString('base64url'), 0)).toBeUndefined();
  }
  for (let length = 0; length < sealed.length - 1; length += 1) {
    expect(seals.open(sealed.slice(0, length), 0)).toBeUndefined();
  }
  expect(SessionSeals.ofProcess().open(sealed, 0)).toBeUndefined();
  expect(seals.open('x'.repeat(MAX_SEALED + 1), 0)).toBeUndefined();
});

test('after a change of keys, sessions of the previous one go on, and new ones are of the new', () => {
  const before = new SessionSeals([OLD]).seal(session);
  const seals = new SessionSeals([NEW, OLD]);
  expect(seals.open(before, 0)).toEqual(session);
  expect(new SessionSeals([OLD]).open(seals.seal(session), 0)).toBeUndefined();
});

test('a token of three thousand characters fits into a cookie', () => {
  // Base64 of random bytes is what compresses least.
  const token = Buffer.from(Array.from({ length: 2_250 }, (_, index) => (index * index * 31 + index * 7) % 251)).toString('base64url');
  expect(token.length).toBe(3_000);
  expect(new SessionSeals([NEW]).seal({ token, expiresAt: 1 }).length).toBeLessThan(MAX_SEALED);
});

test('keys are files, of which the first has to be there', () => {
  expect(() => SessionSeals.ofFolder(folder)).toThrow(`Reading the session key: there is no file ${path.join(folder, 'key')}.`);
  fs.writeFileSync(path.join(folder, 'key'), 'short');
  expect(() => SessionSeals.ofFolder(folder)).toThrow('The session key has 5 bytes and must have at least 32.');
  fs.writeFileSync(path.join(folder, 'key'), NEW);
  fs.writeFileSync(path.join(folder, 'previous-key'), `${OLD.toString()}\n`);
  expect(SessionSeals.ofFolder(folder).open(new SessionSeals([OLD]).seal(session), 0)).toEqual(session);
});

test('the end of a token is what it says, where it says one', () => {
  const jwt = (payload: object) => `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.x`;
  expect(expiryOf(jwt({ exp: 12 }))).toBe(12);
  expect([jwt({}), jwt({ exp: 'soon' }), 'ya29.opaque', 'opaque', ''].map(expiryOf)).toEqual(Array(5).fill(undefined));
});
