/** Users that the dashboard knows at the moment. */
import { Users, Impersonation } from '../../../../src/cli/ui/dashboard/users';
import type { UiSource } from '../../../../src/cli/ui/server/server';
import { StaticCredentials, type CredentialSource, type Credentials } from '../../../../src/operator/runtime/credentials/credentials';

const credentials = new StaticCredentials({ headers: {} });
const connection = { server: new URL('http://127.0.0.1:1'), origin: 'a test', tls: async () => ({}), credentials };

const made: string[] = [];
const newUsers = () => new Users(connection, (_client, name) => {
  made.push(name);
  return { session: { user: name } } as UiSource;
});

afterEach(() => made.splice(0));

test('a user is made once, and two users share nothing', () => {
  const users = newUsers();
  const enter = (name: string) => users.enter(name, () => ({ name, client: users.clientOf(credentials) }));
  const [ada, again, bob] = [enter('ada'), enter('ada'), enter('bob')];
  expect(made).toEqual(['ada', 'bob']);
  expect(again.source).toBe(ada.source);
  expect(bob.source).not.toBe(ada.source);
  users.forget('ada');
  expect(enter('ada').source).not.toBe(ada.source);
  users.close();
  expect(users.size).toBe(0);
});

test('of a thousand who came and went, the last two hundred are known, and all whose answers are open', () => {
  const users = newUsers();
  const closed: string[] = [];
  const enter = (name: string) => users.enter(name, () => {
    const client = users.clientOf(credentials);
    jest.spyOn(client, 'close').mockImplementation(() => {
      closed.push(name);
    });
    return { name, client };
  });
  const open = enter('open');
  Array.from({ length: 1_000 }, (_, index) => enter(`user-${index}`).release!());
  expect(users.size).toBeLessThanOrEqual(202);
  expect(closed.length).toBeGreaterThanOrEqual(799);
  expect(closed).not.toContain('open');
  open.release!();
  Array.from({ length: 300 }, (_, index) => enter(`later-${index}`).release!());
  expect(closed).toContain('open');
  users.close();
});

test('who is impersonated stays the same when the dashboard gets another token', async () => {
  let own: Credentials = { headers: { authorization: 'Bearer one' } };
  let isForgotten = false;
  const source: CredentialSource = {
    get: async () => own,
    invalidate: () => {
      isForgotten = true;
    },
  };
  const ada = new Impersonation(source, 'ada', ['ml']);
  const first = await ada.get();
  expect(first.headers).toEqual({ 'authorization': 'Bearer one', 'impersonate-user': 'ada', 'impersonate-group': ['ml'] });
  // Connections are kept for the same object.
  expect(await ada.get()).toBe(first);
  own = { headers: { authorization: 'Bearer two' } };
  expect((await ada.get()).headers).toMatchObject({ 'authorization': 'Bearer two', 'impersonate-user': 'ada' });
  ada.invalidate();
  expect(isForgotten).toBe(true);
});
