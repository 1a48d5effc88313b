/** Reads the user's price table, and reports each error with its line. */
import fs from 'node:fs';
import { CliError } from '../cli-error';
import { fieldPosition } from '../manifests/field-position';
import { parseYaml } from '../manifests/yaml-documents';
import { requireFile } from '../input';
import { parsePrices } from '../../model/cost/parse-prices';
import type { PriceTable } from '../../model/cost/prices';
import { formatViolation } from '../../model/violations';

/** Environment variable with the default of the option. */
export const PRICES_VARIABLE = 'TRAINYARD_PRICES';

/**
 * Reads a table of YAML or JSON.
 * @param option value of --prices
 * @returns undefined if neither the option nor the variable names a file
 * @throws CliError with all mistakes of the table
 */
export function readPrices(option: string | undefined): PriceTable | undefined {
  const file = option ?? process.env[PRICES_VARIABLE];
  if (!file) {
    return undefined;
  }
  requireFile(file);
  const { documents, problems } = parseYaml(fs.readFileSync(file, 'utf8'));
  if (problems.length > 0) {
    throw new CliError(problems.map(({ line, column, message }) => `${file}:${line}:${column}: this is not valid YAML: ${message}`).join('\n'));
  }
  if (documents.length !== 1) {
    throw new CliError(`${file} has ${documents.length === 0 ? 'no document' : `${documents.length} documents`}: a price table must be a single document. docs/teams/cost.md describes its format.`);
  }
  const [{ value, source }] = documents;
  const { table, violations } = parsePrices(value);
  if (table === undefined) {
    throw new CliError(violations.map((violation) => {
      const { line, column } = fieldPosition(source, [], violation.path);
      return `${file}:${line}:${column}: ${formatViolation(violation)}`;
    }).join('\n'));
  }
  return table;
}
