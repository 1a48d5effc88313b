/** SARIF 2.1.0, the format of code scanning. @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
import { createHash } from 'node:crypto';
import { RULES, describeObject, uncheckedText, type Diagnostic, type RuleId, type ValidationResult } from './diagnostic';
import { fieldText } from './output-text';
import { painter } from '../../local/output/colours';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** @param version of Trainyard */
export function sarifLog({ diagnostics, warnings, unchecked }: ValidationResult, version: string): object {
  const ids = Object.keys(RULES) as RuleId[];
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [{
      tool: {
        driver: {
          name: 'trainyard',
          version,
          informationUri: 'https://github.com/trainyard/trainyard',
          rules: ids.map((id) => ({ id, shortDescription: { text: RULES[id] }, defaultConfiguration: { level: 'error' } })),
        },
      },
      columnKind: 'utf16CodeUnits',
      results: [...diagnostics.map((diagnostic) => resultOf(diagnostic, 'error', ids)), ...warnings.map((warning) => resultOf(warning, 'warning', ids))],
      invocations: [{
        executionSuccessful: true,
        toolExecutionNotifications: unchecked.map((each) => ({ level: 'note', message: { text: uncheckedText(each) } })),
      }],
    }],
  };
}

function resultOf(diagnostic: Diagnostic, level: 'error' | 'warning', ids: readonly RuleId[]): object {
  const { rule, file, position, construct, object, path, message } = diagnostic;
  const text = `${fieldText(diagnostic, painter(false))}${message}`;
  const name = [construct, object === undefined ? undefined : describeObject(object), path].filter((part) => part !== undefined && part !== '').join(' ');
  return {
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level,
    message: { text },
    locations: [{
      ...(file !== '-' && {
        physicalLocation: {
          artifactLocation: { uri: file.split('\\').join('/').split('/').map(encodeURIComponent).join('/') },
          ...(position !== undefined && { region: { startLine: position.line, startColumn: position.column } }),
        },
      }),
      ...(name !== '' && { logicalLocations: [{ fullyQualifiedName: name }] }),
    }],
    // A mistake keeps its identity when lines above it are added or removed.
    partialFingerprints: { 'trainyard/v1': createHash('sha256').update(JSON.stringify([rule, file, name, text])).digest('hex').slice(0, 32) },
  };
}
