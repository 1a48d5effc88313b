/**
 * The library in Java and Go, as `npm run package:java` and `npm run package:go` make it: each program in examples/java and examples/go writes the
 * same bytes as its TypeScript twin, errors arrive, and members whose names are words of a language have another one.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readPage } from './support/page-commands';
import { failureOf, run, type Outcome } from './support/programs';
import { ROOT, versionOf } from './support/project';
import { cacheFolder } from '../../src/local/cache-folder';
import { EXAMPLES, everyFileOfExample } from '../support/examples';
import { testUnless } from '../support/where-possible';

const RUNTIME = versionOf('jsii-pacmak');
const PEERS = [['software/constructs', 'constructs'], ['org/cdk8s', 'cdk8s'], ['org/cdk8s', 'cdk8s-plus-28']] as const;

/** Maven's local repository: what it downloads, and the peers, which take as long to compile as the library and change with their versions only. */
const MAVEN = path.join(cacheFolder(), 'maven', `jsii-${RUNTIME}`);
const maven = (...args: readonly string[]) => ['-q', '-B', `-Dmaven.repo.local=${MAVEN}`, ...args];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-java-and-go-'));
const JAVA = path.join(folder, 'examples', 'java');
const GO = path.join(folder, 'examples', 'go');

/** `examples/java` has a class for each program, `examples/go` a folder. */
const CLASSES = path.join('src', 'main', 'java', 'example');
const JAVA_NAMES = fs.readdirSync(path.join(EXAMPLES, 'java', CLASSES)).map((file) => path.parse(file).name).sort();
const GO_NAMES = fs.readdirSync(path.join(EXAMPLES, 'go'), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();

const runtimeJar = path.join(MAVEN, 'software', 'amazon', 'jsii', 'jsii-runtime', RUNTIME, `jsii-runtime-${RUNTIME}.jar`);
const download = () => failureOf('mvn', maven('org.apache.maven.plugins:maven-dependency-plugin:2.8:get', `-Dartifact=software.amazon.jsii:jsii-runtime:${RUNTIME}`), folder);
const withJava = testUnless(failureOf('javac', ['-version'], folder) ?? failureOf('mvn', ['-v'], folder) ?? (fs.existsSync(runtimeJar) ? undefined : download()), 'programs in Java');
const withGo = testUnless(failureOf('go', ['mod', 'download', `github.com/aws/jsii-runtime-go@v${RUNTIME}`], folder), 'programs in Go');

beforeAll(() => {
  fs.cpSync(path.join(EXAMPLES, 'java'), JAVA, { recursive: true });
  fs.cpSync(path.join(EXAMPLES, 'go'), GO, { recursive: true });
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Runs a script of package.json, with the packages in a folder of their own. The set-up of this suite has bundled what is packed. */
function packageFor(language: string, change: (command: string) => string = (command) => command): string | undefined {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const command = change(scripts[`package:${language}`].replace('--outdir dist', `--outdir ${path.join(folder, 'dist')}`));
  return failureOf('npx', command.split(' '), ROOT, { npm_config_ignore_scripts: 'true' });
}

function runJava(name: string, env: NodeJS.ProcessEnv = {}): Outcome {
  return run('mvn', maven('compile', 'exec:java', `-Dexec.mainClass=example.${name}`), JAVA, env);
}

function runGo(name: string, env: NodeJS.ProcessEnv = {}): Outcome {
  return run('go', ['run', `./${name}`], GO, env);
}

/** Compares what programs write with what their twins in TypeScript write. */
function expectTwins(language: string, names: readonly string[], runProgram: (name: string, env: NodeJS.ProcessEnv) => Outcome): void {
  expect(names.length).toBeGreaterThan(1);
  for (const name of names) {
    const written = path.join(folder, 'written', language, name);
    expect(runProgram(name, { CDK8S_OUTDIR: written }).failure).toBeUndefined();
    const files = fs.readdirSync(written).sort().map((file) => [file, fs.readFileSync(path.join(written, file), 'utf8')]);
    expect(files).toEqual([...everyFileOfExample(`${name.toLowerCase()}/main.ts`)]);
  }
}

/** Copies a program with one difference. */
function changed(from: string, to: string, difference: readonly [string, string], name: readonly [string, string] = ['', '']): void {
  const text = fs.readFileSync(from, 'utf8').replace(...difference).replace(...name);
  expect(text).not.toBe(fs.readFileSync(from, 'utf8'));
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.writeFileSync(to, text);
}

const MISTAKE = /TrainingJob 'digits': spec\.replicas: 0: must be a whole number from 1 to 10000/;

test('the page shows the first program of each language word for word', () => {
  const page = readPage('docs/languages/java-and-go.md');
  expect(page).toContain(`\`\`\`java\n${fs.readFileSync(path.join(EXAMPLES, 'java', CLASSES, 'Quickstart.java'), 'utf8')}\`\`\``);
  expect(page).toContain(`\`\`\`go\n${fs.readFileSync(path.join(EXAMPLES, 'go', 'quickstart', 'main.go'), 'utf8')}\`\`\``);
});

withJava('Java: the package is built', () => {
  const isThere = PEERS.every(([group, name]) => fs.existsSync(path.join(MAVEN, group, name, versionOf(name), `${name}-${versionOf(name)}.jar`)));
  const change = (command: string) => (isThere ? command.replaceAll(/node_modules\/\S+ /g, '') : command);
  expect(packageFor('java', (command) => `${change(command)} --maven-local-repository ${MAVEN}`)).toBeUndefined();
});

withJava('Java: programs write what their twins in TypeScript write', () => expectTwins('java', JAVA_NAMES, runJava));

withJava('Java: a mistake is reported as in TypeScript, and names that are words of Java have another one', () => {
  const source = (name: string) => path.join(JAVA, CLASSES, `${name}.java`);
  changed(source('Quickstart'), source('Mistake'), ['.replicas(2)', '.replicas(0)'], ['class Quickstart', 'class Mistake']);
  fs.writeFileSync(source('Words'), [
    'package example;', 'import io.github.trainyard.*;', 'public class Words {', '  public static void main(String[] args) {',
    '    System.out.println(Gang.doNative().getScheduler());',
    '    System.out.println(TuningParameter.doFloat(NumberRange.builder().min(0.5).max(1).build()).getMin());',
    '    System.out.println(TuningParameter.doInt(NumberRange.builder().min(3).max(4).build()).getMin());', '  }', '}',
  ].join('\n'));
  expect(runJava('Mistake').failure).toMatch(MISTAKE);
  expect(runJava('Words')).toEqual({ failure: undefined, stdout: expect.stringMatching(/Native\n0\.5\n3$/m) });
});

withGo('Go: the package is built, all packages of it', () => {
  expect(packageFor('go')).toBeUndefined();
  expect(failureOf('go', ['mod', 'tidy'], GO)).toBeUndefined();
});

withGo('Go: programs write what their twins in TypeScript write', () => expectTwins('go', GO_NAMES, runGo));

withGo('Go: a mistake is reported as in TypeScript, and names that are words of Go are in use', () => {
  changed(path.join(GO, 'quickstart', 'main.go'), path.join(GO, 'mistake', 'main.go'), ['jsii.Number(2),\n\t\tResources', 'jsii.Number(0),\n\t\tResources']);
  fs.mkdirSync(path.join(GO, 'words'));
  fs.writeFileSync(path.join(GO, 'words', 'main.go'), [
    'package main', 'import (', '"fmt"', '"github.com/aws/jsii-runtime-go"', '"github.com/trainyard/trainyard-go/trainyard"', ')', 'func main() {',
    'fmt.Println(*trainyard.Gang_Native(nil).Scheduler())',
    'fmt.Println(*trainyard.TuningParameter_Int(&trainyard.NumberRange{Min: jsii.Number(3), Max: jsii.Number(4)}).Min())',
    'fmt.Println(*trainyard.Accelerator_Nvidia(jsii.String("nvidia-l4")).Type())', '}',
  ].join('\n'));
  expect(runGo('mistake').failure).toMatch(MISTAKE);
  expect(runGo('words')).toEqual({ failure: undefined, stdout: 'Native\n3\nnvidia-l4\n' });
});
