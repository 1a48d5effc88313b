/** Rules on the command of a container: what a shell would have done to it, and what a launcher receives. */
import type { CheckedContainer } from './checked-pod';
import { CHECK_RULES } from './rule-list';
import type { FindingCollector } from '../findings';
import type { Placed } from '../shapes';

/** Programs that read a command from a text. */
const SHELLS = new Set(['sh', 'bash', 'ash', 'dash', 'zsh', 'ksh', 'fish', 'pwsh', 'cmd']);

/** Words that mean something to a shell only. */
const OPERATORS = new Set(['&&', '||', '|', ';', '>', '>>', '<', '2>', '2>&1', '&>', '&']);

/** Launchers that start a process for each GPU, or programs that do so themselves. */
const LAUNCHERS = ['torchrun', 'accelerate', 'deepspeed', 'lightning', 'fabric', 'composer', 'horovodrun', 'mpirun', 'mpiexec', 'colossalai', 'ray', 'tune', 'axolotl', 'llamafactory-cli'];

/** Modules of Python that are launchers: `python -m MODULE`. */
const LAUNCHER_MODULES = ['torch.distributed.run', 'torch.distributed.launch', 'torch.distributed.elastic', 'accelerate.commands', 'deepspeed.launcher', 'lightning', 'torchrun'];

/** Longest text that is looked at, in characters. */
const LOOKED_AT = 4096;

/** Words of a command, with the place of each; what a shell is given is left out. */
function wordsOf(container: CheckedContainer): Placed<string>[] {
  const words = allWords(container);
  const shell = words.findIndex(({ value }) => SHELLS.has(programOf(value)));
  return shell < 0 ? words : words.slice(0, shell + 1);
}

function allWords({ command, args }: CheckedContainer): Placed<string>[] {
  const words: Placed<string>[] = [];
  for (const list of [command, args]) {
    list?.value.forEach((value, index) => words.push({ value, path: `${list.path}[${index}]` }));
  }
  return words;
}

export function checkCommand(container: CheckedContainer, findings: FindingCollector): void {
  const { command } = container;
  // Without a command, the image's entry point can be a shell.
  if (command === undefined || command.value.length === 0) {
    return;
  }
  const words = wordsOf(container);
  const [program] = words;
  if (/\s/.test(program.value.slice(0, LOOKED_AT).trim()) && !program.value.startsWith('/')) {
    findings.warn(CHECK_RULES.commandText, program.path, program.value,
      `contains spaces, and is run as one program of that name. Split it, such as [${splitExample(program.value)}], or use ['sh', '-c', ...].`);
    return;
  }
  for (const { value, path } of words.slice(1)) {
    if (OPERATORS.has(value)) {
      findings.warn(CHECK_RULES.commandShell, path, value, `is passed to ${programOf(program.value)} as an argument: no shell runs this command. Use ['sh', '-c', '...'], or remove it.`);
    } else if (value.startsWith('~/') || value.includes('=~/')) {
      findings.warn(CHECK_RULES.commandShell, path, value, 'is not expanded: only a shell expands ~. Write the path.');
    }
  }
  for (const { value, path } of words) {
    const variable = shellVariableIn(value);
    if (variable !== undefined) {
      findings.warn(CHECK_RULES.commandVariable, path, value, `is not expanded: no shell runs this command. Write $(${variable}), which Kubernetes expands, or use ['sh', '-c', '...'].`);
    }
  }
}

/**
 * Name of the first `$NAME` or `${NAME}`; `$(NAME)` is Kubernetes' own, `$$` stands for itself, and names with a dot are Katib's, such as
 * `${trialParameters.lr}`.
 */
function shellVariableIn(text: string): string | undefined {
  return /(?<!\$)\$(?:([A-Za-z_]\w{0,127})|\{([A-Za-z_]\w{0,127})(?![\w.])[^}]{0,128}\})/.exec(text.slice(0, LOOKED_AT))?.slice(1).find((name) => name !== undefined);
}

function splitExample(text: string): string {
  const words = text.slice(0, 80).trim().split(/\s/).filter((word) => word !== '');
  return [...words.slice(0, 3).map((word) => `'${word}'`), ...(words.length > 3 ? ['...'] : [])].join(', ');
}

/** `python` of `/usr/bin/python`. */
function programOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** Facts about how torchrun starts a replica's processes. */
export interface TorchrunFacts {
  /** Replicas that train. @default - not known, or a range */
  readonly nodes?: number;
  /** GPUs of a replica; 0 without. */
  readonly gpus: number;
}

/** Checks the flags of torchrun against the job. */
export function checkTorchrun(container: CheckedContainer, { nodes, gpus }: TorchrunFacts, findings: FindingCollector): void {
  const words = torchrunWords(container);
  const given = flagOf(words, ['--nnodes']);
  if (given !== undefined && nodes !== undefined && isWhole(given.value) && Number(given.value) !== nodes) {
    findings.error(CHECK_RULES.torchrunNodes, given.path, given.word,
      `contradicts the number of replicas, ${nodes}: the rendezvous waits for others. Remove it: torchrun reads PET_NNODES, which is set.`);
  }
  const processes = flagOf(words, ['--nproc_per_node', '--nproc-per-node']);
  if (processes !== undefined && gpus > 0 && isWhole(processes.value) && Number(processes.value) !== gpus) {
    const most = Number(processes.value);
    const found = [CHECK_RULES.torchrunProcesses, processes.path, processes.word] as const;
    if (most > gpus) {
      findings.error(...found, `starts more processes than the replica has GPUs, ${gpus}. Remove it: torchrun reads PET_NPROC_PER_NODE, which is set.`);
    } else {
      findings.warn(...found, `leaves ${gpus - most} of ${gpus} GPUs without a process. Remove it: torchrun reads PET_NPROC_PER_NODE, which is set.`);
    }
  }
}

/** Whether a Python program of several GPUs is started as one process. */
export function checkLauncher(container: CheckedContainer, gpus: number, findings: FindingCollector): void {
  const words = wordsOf(container);
  const program = words[0]?.value ?? '';
  if (gpus < 2 || container.command === undefined || !/^python[\d.]{0,8}$/.test(programOf(program))) {
    return;
  }
  const module = words.findIndex(({ value }) => value === '-m');
  const started = module < 0 ? '' : words[module + 1]?.value ?? '';
  const launches = LAUNCHER_MODULES.some((name) => started.startsWith(name))
    || words.slice(1).some(({ value }) => LAUNCHERS.includes(programOf(value)));
  if (!launches && !words.some(({ value }) => value === '-c')) {
    findings.warn(CHECK_RULES.launcher, words[0].path, program,
      `starts one process, and the replica has ${gpus} GPUs. Use torchrun, which starts one for each, unless the program does so itself.`);
  }
}

/** Words of a command that is torchrun's, those in the text of a shell included. */
function torchrunWords(container: CheckedContainer): Placed<string>[] {
  const words = allWords(container);
  const isShell = words.length > 0 && SHELLS.has(programOf(words[0].value));
  const flat = isShell
    ? words.flatMap(({ value, path }) => value.slice(0, LOOKED_AT).split(/\s/).filter((word) => word !== '').map((word) => ({ value: word, path })))
    : words;
  const start = flat.findIndex(({ value }) => programOf(value) === 'torchrun' || LAUNCHER_MODULES.slice(0, 2).includes(value));
  return start < 0 ? [] : flat.slice(start + 1);
}

interface Flag {
  readonly value: string;
  /** As it is written. */
  readonly word: string;
  readonly path: string;
}

function flagOf(words: readonly Placed<string>[], names: readonly string[]): Flag | undefined {
  for (const [index, { value, path }] of words.entries()) {
    for (const name of names) {
      if (value === name && index + 1 < words.length) {
        return { value: words[index + 1].value, word: `${name} ${words[index + 1].value}`.slice(0, 80), path };
      }
      if (value.startsWith(`${name}=`)) {
        return { value: value.slice(name.length + 1), word: value.slice(0, 80), path };
      }
    }
  }
  return undefined;
}

function isWhole(text: string): boolean {
  return /^\d{1,6}$/.test(text);
}
