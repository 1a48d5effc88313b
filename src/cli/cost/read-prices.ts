/** Reads the user's price table, and reports each error with its line. */
import fs from 'node:fs';
import { CliError } from '../cli-error';
import { fieldPosition } from '../manifests/field-position';
import { parseYaml } from '../manifests/yaml-documents';
import { requireFile } from '../missing-file';
import { parsePrices } from '../../model/cost/parse-prices';
import type { PriceTable } from '../../model/cost/prices';
import { formatViolation } from '../../model/violations';

/** Environment variable with the file where no option names one. */
export const PRICES_VARIABLE = 'TRAINYARD_PRICES';

/** Reads a table of YAML or JSON. @throws CliError with everything that is wrong with it */
export function readPrices(file: string): PriceTable {
  requireFile(file);
  const { documents, problems } = parseYaml(fs.readFileSync(file, 'utf8'));
  if (problems.length > 0) {
    throw new CliError(problems.map(({ line, column, message }) => `${file}:${line}:${column}: this is not valid YAML: ${message}`).join('\n'));
  }
  if (documents.length !== 1) {
    throw new CliError(`${file} has ${documents.length === 0 ? 'no document' : `${documents.length} documents`}: a price table must be a single document. docs/cost.md describes its format.`);
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
