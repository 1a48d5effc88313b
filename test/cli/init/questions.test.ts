/** What `trainyard init` asks at a terminal, and what it asks nobody. */
import fs from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { trainyard } from '../support/command';
import { CTRL_C, CTRL_D, hasTerminals, TerminalRun } from '../support/terminal-run';

const root = temporaryFolder();
const filesOf = (name: string) => (fs.existsSync(path.join(root, name)) ? fs.readdirSync(path.join(root, name)) : []);
const nameIn = (name: string) => (JSON.parse(fs.readFileSync(path.join(root, name, 'package.json'), 'utf8')) as { readonly name: string }).name;

(hasTerminals ? describe : describe.skip)('at a terminal', () => {
  test('Enter gives the first template, and the name of the folder', async () => {
    const run = new TerminalRun(['init', 'my-jobs'], root);
    await run.shows('Template [jobs]: ');
    expect(run.screen).toMatch(/jobs +a job that runs on this machine/);
    run.type('\r');
    await run.shows('Name [my-jobs]: ');
    run.type('\r');
    expect(await run.ended).toEqual({ code: 0, inOrder: true });
    expect(filesOf('my-jobs')).toContain('main.ts');
    expect(nameIn('my-jobs')).toBe('my-jobs');
  });

  test('answers are written; what is not an answer is asked for again', async () => {
    const run = new TerminalRun(['init', 'answered'], root);
    await run.shows('Template [jobs]: ');
    run.type('rockets\r');
    await run.shows('rockets: It is one of jobs, gitops, teams, gke, python.');
    await run.shows('Template [jobs]: ', 2);
    run.type('gke\r');
    await run.shows('Name [answered]: ');
    run.type('Vision!\r');
    await run.shows('Vision!: It must have lower-case letters');
    await run.shows('Name [answered]: ', 2);
    run.type('vision\r');
    expect(await run.ended).toEqual({ code: 0, inOrder: true });
    expect(filesOf('answered')).toContain('Pulumi.yaml');
    expect(nameIn('answered')).toBe('vision');
  });

  test.each([['Ctrl-C', CTRL_C], ['Ctrl-D', CTRL_D]])('%s ends it, and nothing is written', async (_key, typed) => {
    const run = new TerminalRun(['init', 'left'], root);
    await run.shows('Template [jobs]: ');
    run.type('teams\r');
    await run.shows('Name [left]: ');
    run.type(typed);
    expect(await run.ended).toEqual({ code: 2, inOrder: true });
    expect(run.screen).toContain('trainyard: nothing was written');
    expect(filesOf('left')).toEqual([]);
  });

  test('whoever gives an option is not asked', async () => {
    const run = new TerminalRun(['init', 'named', '--name', 'speech'], root);
    expect(await run.ended).toEqual({ code: 0, inOrder: true });
    expect(run.screen).not.toContain('Template [');
    expect(nameIn('named')).toBe('speech');
  });
});

test('a script is not asked', async () => {
  expect(await trainyard(['init', 'script'], { cwd: root })).toMatchObject({ code: 0, err: '', out: expect.not.stringContaining('Template [') as string });
  expect(nameIn('script')).toBe('script');
});
