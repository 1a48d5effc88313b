/** Schemas as everybody else reads them, from compact ones. What several places share is one object afterwards, too. */
import type { CompactNode, CompactSchema, KindFacts, Parts } from './compact-format';
import type { StructuralSchema } from '../structural-schema';

/** Writes schemas out. Each part once: a pod that eight fields share costs as much as one. */
export class Expansion {
  private readonly expanded = new Map<string, StructuralSchema>();

  /** @param parts by precedence: a system's own before those that systems share */
  public constructor(private readonly parts: readonly Parts[]) {}

  /** @throws Error for the name of no part */
  public schema(compact: CompactSchema): StructuralSchema {
    if (typeof compact !== 'string') {
      return this.node(compact);
    }
    let schema = this.expanded.get(compact);
    if (schema === undefined) {
      const parts = this.parts.find((some) => Object.hasOwn(some, compact));
      if (parts === undefined) {
        throw new Error(`the schemas of upstream/ have no part '${compact}'. Regenerate them: npm run upstream.`);
      }
      schema = this.node(parts[compact]);
      this.expanded.set(compact, schema);
    }
    return schema;
  }

  /** All versions of a kind. */
  public kind({ versions, ...names }: KindFacts<CompactSchema>): KindFacts {
    return { ...names, versions: versions.map(({ schema, ...version }) => ({ ...version, schema: this.schema(schema) })) };
  }

  private node(node: CompactNode): StructuralSchema {
    return mapSchemas(node as StructuralSchema, (inner) => this.schema(inner as CompactSchema));
  }
}

/** A schema with something else in the place of each schema right below it. */
export function mapSchemas(node: StructuralSchema, map: (inner: StructuralSchema, field?: string) => unknown): StructuralSchema {
  const { items, properties, additionalProperties, not } = node;
  const fields = properties && Object.entries(properties).map(([field, inner]) => [field, map(inner, field)]);
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).filter((name) => node[name] !== undefined);
  return {
    ...node,
    ...(items !== undefined && { items: map(items) }),
    ...(fields !== undefined && { properties: Object.fromEntries(fields) as object }),
    ...(additionalProperties !== undefined && typeof additionalProperties !== 'boolean' && { additionalProperties: map(additionalProperties) }),
    ...(not !== undefined && { not: map(not) }),
    ...Object.fromEntries(lists.map((name) => [name, node[name]!.map((inner) => map(inner))])),
  } as StructuralSchema;
}
