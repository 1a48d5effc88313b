/** The settings file of a program's environments, as a text in which values are replaced and all else stays: comments, order, quotes. */
import fs from 'node:fs';
import { isMap, parseDocument } from 'yaml';
import type { PromotedSetting } from './promotion';
import { CliError } from '../cli-error';
import { requireFile } from '../missing-file';
import { readSettings, type EnvironmentSettings } from '../../model/environments/settings';
import { formatViolation } from '../../model/violations';

/** A file that was read. */
export class SettingsDocument {
  /** @throws CliError when it is not there, or wrong */
  public static read(file: string): SettingsDocument {
    requireFile(file);
    return new SettingsDocument(file, fs.readFileSync(file, 'utf8'));
  }

  public readonly environments: readonly EnvironmentSettings[];

  private constructor(public readonly file: string, private readonly text: string) {
    const { environments, violations } = readSettings(this.parsed().toJS());
    if (violations.length > 0) {
      throw new CliError(`${file} is wrong:\n${violations.map((violation) => `  ${formatViolation(violation)}`).join('\n')}`);
    }
    this.environments = environments;
  }

  /** The text with other values for an environment. */
  public withSettings(environment: string, settings: readonly PromotedSetting[]): string {
    if (this.file.endsWith('.json')) {
      const content = JSON.parse(this.text) as { [environment: string]: { [kind: string]: { [name: string]: string } } };
      settings.forEach(({ kind, name, after }) => {
        const own = content[environment] ??= {};
        own[kind] = { ...own[kind], [name]: after };
      });
      return `${JSON.stringify(content, undefined, 2)}\n`;
    }
    const document = this.parsed();
    for (const { kind, name, after } of settings) {
      // A mapping that is empty (`qa:`) is no mapping yet.
      for (const path of [[environment], [environment, kind]].filter((each) => !isMap(document.getIn(each)))) {
        document.setIn(path, document.createNode({}));
      }
      document.setIn([environment, kind, name], after);
    }
    return document.toString({ lineWidth: 0 });
  }

  /** As cdk8s reads YAML: by its version 1.1, which decides what needs quotes. */
  private parsed(): ReturnType<typeof parseDocument> {
    const document = parseDocument(this.text, { version: '1.1' });
    if (document.errors.length > 0) {
      throw new CliError(`${this.file} is not valid YAML: ${document.errors[0].message}`);
    }
    return document;
  }
}
