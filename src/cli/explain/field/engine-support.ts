/** Which engines have a field. */
import { FIELD_PATHS } from '../../../model/training-job/fields/field-paths';
import type { FieldPath } from '../../../model/training-job/fields/field-paths';
import type { Support } from '../../../manifests/engines/capabilities';
import { engines } from '../../../manifests/engines/registry';

/** What one engine says of a field. */
export interface EngineSupport {
  readonly engine: string;
  readonly title: string;
  readonly answer: 'yes' | 'no' | 'partly';
  /** Why not, or within which limits. */
  readonly why?: string;
}

/** What engines say of a field of the spec; empty for fields that no engine is asked about, such as those of the status. */
export function engineSupport(path: string): EngineSupport[] {
  if (path !== 'spec' && !path.startsWith('spec.')) {
    return [];
  }
  const wanted = path.replace(/^spec\.?/, '').replaceAll('.<name>', '');
  // A field of a block that engines have as a whole, the field itself, or all fields of a block.
  const asked = FIELD_PATHS.filter((field) => isWithin(wanted, field) || isWithin(field, wanted));
  return asked.length === 0 ? [] : engines().map(({ name, title, capabilities }) => (
    { engine: name, title, ...answer(capabilities.fields, asked, wanted) }));
}

/** Whether a field is another one, or stands in it. */
function isWithin(field: string, outer: string): boolean {
  return outer === '' || field === outer || field.startsWith(`${outer}.`) || field.startsWith(`${outer}[]`);
}

type Answers = { readonly [field in FieldPath]: Support };

function answer(fields: Answers, asked: readonly FieldPath[], wanted: string): Pick<EngineSupport, 'answer' | 'why'> {
  const lacking = asked.filter((field) => fields[field] !== true && 'no' in fields[field]);
  const limited = asked.filter((field) => fields[field] !== true && 'partly' in fields[field]);
  if (lacking.length === 0 && limited.length === 0) {
    return { answer: 'yes' };
  }
  if (lacking.length === asked.length) {
    return { answer: 'no', why: [...new Set(lacking.map((field) => (fields[field] as { readonly no: string }).no))].join('; ') };
  }
  if (asked.length === 1) {
    return { answer: 'partly', why: (fields[asked[0]] as { readonly partly: string }).partly };
  }
  return {
    answer: 'partly',
    why: [
      ...(lacking.length > 0 ? [`without ${shortNames(lacking, asked, wanted).join(', ')}`] : []),
      ...(limited.length > 0 ? [`within limits ${shortNames(limited, asked, wanted).join(', ')}`] : []),
    ].join('; '),
  };
}

/** Names from the block on; a block of which all fields are meant is named itself. */
function shortNames(fields: readonly FieldPath[], asked: readonly FieldPath[], block: string): string[] {
  return [...new Set(fields.map((field) => {
    const relative = block === '' ? field : field.slice(block.length).replace(/^(\[\])?\./, '');
    const outer = field.slice(0, field.length - relative.length) + relative.split('.')[0];
    return asked.filter((other) => isWithin(other, outer)).every((other) => fields.includes(other)) ? relative.split('.')[0] : relative;
  }))];
}
