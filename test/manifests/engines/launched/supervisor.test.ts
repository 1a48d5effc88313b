/**
 * What the drivers do over the life of a job: their own Python, on a cluster that does as a test says and a clock that goes by itself. Ray and Spark
 * themselves are tested in test/frameworks.
 */
import { runPython } from '../support/launched-programs';
import { joinedPython } from '../../../../src/programs/joined-python';
import { programText } from '../../../../src/programs/program-text';

/** Exit code of a program, `gone` with its node, or `leaving` it. */
type End = number | 'gone' | 'leaving';

/** What is to be seen at one look: how programs end. */
type Look = { readonly [replica: string]: End };

interface Case {
  readonly groups: readonly object[];
  readonly scope?: 'gang' | 'replica';
  readonly success?: { readonly ordinals: readonly (readonly number[])[]; readonly one: boolean };
  readonly backoffLimit?: number;
  readonly looks: readonly Look[];
  /** Replicas that come back with another address. */
  readonly moving?: readonly string[];
}

const DRIVER = `${joinedPython(programText('launched/plan.py'), programText('launched/policy.py'), programText('launched/supervisor.py'))}
import sys
case = json.load(sys.stdin)
clock = [0.0]
story = []
time.monotonic = lambda: clock[0]
def sleep(seconds):
    clock[0] += seconds
    if seconds > 1:
        story.append('waits %d s' % seconds)
time.sleep = sleep
print = lambda *_, **__: None

class Cluster:
    def __init__(self, members):
        self.members, self.looks, self.stopping, self.moves = members, list(case['looks']), [], {}
    def place_all(self):
        pass
    def look_for(self, member):
        return True
    def address_of(self, member):
        return member.name + '*' * self.moves.get(member.name, 0)
    def start(self, member, attempt):
        story.append('%s starts (%d)' % (member.name, attempt))
    def stop(self, members):
        if members:
            story.append('stops %s' % ' '.join(member.name for member in members))
        self.stopping += members
        return 0
    def leave(self, member):
        story.append('%s leaves' % member.name)
        if member.name in case['moving']:
            self.moves[member.name] = 1
    def watch(self, members, seconds):
        clock[0] += seconds
        ended, self.stopping = [member for member in self.stopping if member in members], []
        if ended:
            return [News(member, [], 143) for member in ended]
        if not self.looks:
            raise RuntimeError('the story has no end: ' + '; '.join(story))
        look = self.looks.pop(0)
        return [News(member, [], 137 if isinstance(look[member.name], str) else look[member.name], isinstance(look[member.name], str))
                for member in members if member.name in look]

members = members_of(case['plan'])
story.append('ends with %d' % supervise(case['plan'], members, Cluster(members)))
sys.stdout.write(json.dumps(story))
`;

function group(name: string, replicas: number, more: object = {}): object {
  return { name, replicas, first: 0, restartPolicy: 'Never', helper: null, command: ['run'], inherited: [], refersToAll: false, absent: [], variables: [], ...more };
}

function story({ groups, scope = 'gang', success = { ordinals: [[0, 0]], one: false }, backoffLimit = 6, looks, moving = [] }: Case): string[] {
  const plan = {
    job: 'net', scope, groups, success, backoffLimit, backoff: { initialSeconds: 10, maxSeconds: 360, resetAfterSeconds: 600 },
    exitCodes: { recover: [], retry: [], fail: [] }, disruptionLimit: null, graceSeconds: 30, attemptVariable: 'TRAINYARD_ATTEMPT',
  };
  return runPython(DRIVER, { plan, looks, moving }) as string[];
}

const RETRIED = { restartPolicy: 'OnFailure' };

describe('replicas that depend on each other', () => {
  test('end with the one that counts; the others are stopped', () => {
    expect(story({ groups: [group('master', 1), group('worker', 1)], looks: [{}, { 'master-0': 0 }] })).toEqual([
      'master-0 starts (0)', 'worker-0 starts (0)', 'stops worker-0', 'ends with 0',
    ]);
  });

  test('fail with the first failure that is not retried', () => {
    expect(story({ groups: [group('master', 1), group('worker', 1)], looks: [{ 'worker-0': 1 }, {}, {}, {}, {}, {}] })).toEqual([
      'master-0 starts (0)', 'worker-0 starts (0)', 'stops master-0', 'ends with 1',
    ]);
  });

  test('start again together as the next attempt, after a pause', () => {
    const looks: Look[] = [{ 'worker-0': 1 }, {}, {}, {}, {}, {}, { 'worker-0': 0 }, { 'master-0': 0 }];
    expect(story({ groups: [group('master', 1, RETRIED), group('worker', 1, RETRIED)], looks })).toEqual([
      'master-0 starts (0)', 'worker-0 starts (0)', 'stops master-0', 'waits 10 s', 'master-0 starts (1)', 'worker-0 starts (1)', 'ends with 0',
    ]);
  });

  test('give up when the budget is used up', () => {
    const groups = [group('master', 1, RETRIED)];
    expect(story({ groups, backoffLimit: 1, looks: [{ 'master-0': 1 }, { 'master-0': 1 }] })).toEqual([
      'master-0 starts (0)', 'waits 10 s', 'master-0 starts (1)', 'ends with 1',
    ]);
  });

  test.each<End>(['gone', 'leaving'])('are not to blame for a failure when a peer is %s: all start again at once, when it has another place', (end) => {
    expect(story({ groups: [group('master', 1), group('worker', 1)], looks: [{ 'master-0': 1 }, {}, { 'worker-0': end }, { 'master-0': 0 }] })).toEqual([
      'master-0 starts (0)', 'worker-0 starts (0)', 'worker-0 leaves', 'master-0 starts (1)', 'worker-0 starts (1)', 'stops worker-0', 'ends with 0',
    ]);
  });

  test('who ended well before starts again with the others', () => {
    const success = { ordinals: [[0, 1]], one: false };
    expect(story({ groups: [group('worker', 2)], success, looks: [{ 'worker-0': 0 }, { 'worker-1': 'gone' }, { 'worker-0': 0, 'worker-1': 0 }] })).toEqual([
      'worker-0 starts (0)', 'worker-1 starts (0)', 'worker-1 leaves', 'worker-0 starts (1)', 'worker-1 starts (1)', 'ends with 0',
    ]);
  });
});

describe('independent replicas', () => {
  const success = { ordinals: [[0, 1]], one: false };

  test('start again by themselves, in the same attempt', () => {
    const looks: Look[] = [{ 'worker-1': 1 }, ...Array<Look>(45).fill({}), { 'worker-0': 0, 'worker-1': 0 }];
    expect(story({ groups: [group('worker', 2, RETRIED)], scope: 'replica', success, looks })).toEqual([
      'worker-0 starts (0)', 'worker-1 starts (0)', 'worker-1 starts (0)', 'ends with 0',
    ]);
  });

  test('go on elsewhere when their place is lost', () => {
    const looks: Look[] = [{ 'worker-1': 'gone' }, { 'worker-0': 0, 'worker-1': 0 }];
    expect(story({ groups: [group('worker', 2)], scope: 'replica', success, looks, moving: ['worker-1'] })).toEqual([
      'worker-0 starts (0)', 'worker-1 starts (0)', 'worker-1 leaves', 'worker-1 starts (0)', 'ends with 0',
    ]);
  });

  test('start all again where others were told an address that is another now', () => {
    const told = { variables: [['PEERS', [[0, 1, ['<worker-1>:80']]]]] };
    const looks: Look[] = [{ 'worker-1': 'gone' }, { 'worker-0': 0, 'worker-1': 0 }];
    expect(story({ groups: [group('worker', 2, told)], scope: 'replica', success, looks, moving: ['worker-1'] })).toEqual([
      'worker-0 starts (0)', 'worker-1 starts (0)', 'worker-1 leaves', 'stops worker-0', 'worker-0 starts (1)', 'worker-1 starts (1)', 'ends with 0',
    ]);
  });

  test('are done when one of them is enough', () => {
    expect(story({ groups: [group('worker', 2)], scope: 'replica', success: { ordinals: [[0, 1]], one: true }, looks: [{ 'worker-1': 0 }] })).toEqual([
      'worker-0 starts (0)', 'worker-1 starts (0)', 'stops worker-0', 'ends with 0',
    ]);
  });
});

describe('helpers', () => {
  const helped = (helper: string) => [group('master', 1), group('actor', 1, { helper })];

  test('that fail are ignored, or start again, and nobody else does', () => {
    expect(story({ groups: helped('Ignore'), looks: [{ 'actor-0': 1 }, { 'master-0': 0 }] })).toEqual(['master-0 starts (0)', 'actor-0 starts (0)', 'ends with 0']);
    expect(story({ groups: helped('Restart'), looks: [{ 'actor-0': 1 }, ...Array<Look>(15).fill({}), { 'master-0': 0 }] })).toEqual([
      'master-0 starts (0)', 'actor-0 starts (0)', 'actor-0 starts (0)', 'stops actor-0', 'ends with 0',
    ]);
  });

  test('fail the job where they are told to', () => {
    expect(story({ groups: helped('Fail'), looks: [{ 'actor-0': 1 }] })).toEqual(['master-0 starts (0)', 'actor-0 starts (0)', 'stops master-0', 'ends with 1']);
  });
});
