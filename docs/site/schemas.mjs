// The fields of a schema in an OpenAPI document, in the form that the tables of the reference show.

// Numbers that say only which integers JSON can hold.
const WIDEST = [undefined, 0, 2 ** 31 - 1, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER];

// A longer list of values is left out. The page about them has it.
const MOST_VALUES = 16;

const FORMATS = { uuid: "UUID", uri: "URL", "date-time": "date and time", binary: "file" };

const isFilled = ({ type }) => type !== "null";
const alternativesOf = (schema) => schema?.oneOf ?? schema?.anyOf ?? [];
const limitOf = (limit) => (WIDEST.includes(limit) ? undefined : limit.toLocaleString("en"));

/**
 * Returns the reader of the document's schemas.
 * @param {(value: any) => any} resolve follows a reference
 */
export function schemaReader(resolve) {
  // Returns the schema and those that it combines.
  function parts(schema) {
    const found = resolve(schema);
    return [found, ...(found?.allOf ?? []).flatMap(parts)].filter(Boolean);
  }

  // Returns the schema that holds for values other than null.
  const filled = (schema) => {
    const others = alternativesOf(schema).filter(isFilled);
    return others.length === 1 ? others[0] : schema;
  };

  // Returns the name of the object that the values are, or that the entries of a list are, and its schema.
  function objectOf(schema) {
    const value = filled(schema);
    if (value?.type === "array") return objectOf(value.items);
    return value?.$ref && parts(value).some((part) => part.properties) ? { name: value.$ref.split("/").pop(), schema: value } : undefined;
  }

  function typeOf(schema) {
    const value = filled(schema);
    if (!value) return "any";
    const object = objectOf(value);
    if (object && value.type !== "array") return object.name;
    const found = resolve(value);
    if (found.const !== undefined) return JSON.stringify(found.const);
    if (found.type === "array") return `list of ${typeOf(found.items)}`.replace(/(string|integer|boolean|object)$/, "$1s");
    const alternatives = alternativesOf(found);
    if (alternatives.length) return [...new Set(alternatives.filter(isFilled).map(typeOf))].join(" or ");
    const types = [found.type ?? "any"].flat().filter((type) => type !== "null");
    return FORMATS[found.format] ?? types.join(" or ");
  }

  const isNullable = (schema) =>
    [resolve(schema)?.type].flat().includes("null") || !alternativesOf(schema).every(isFilled);

  // Returns the values of an enumeration, also if others may be added.
  function valuesOf(schema) {
    const value = resolve(filled(schema));
    if (value?.type === "array") return valuesOf(value.items);
    const values = value?.enum ?? alternativesOf(value).flatMap((one) => resolve(one).enum ?? []);
    return values.filter((one) => one !== null);
  }

  // Returns sentences about what a value can be.
  function rulesOf(schema) {
    const value = resolve(filled(schema)) ?? {};
    const values = valuesOf(schema);
    const rules = [];
    if (values.length > 1 && values.length <= MOST_VALUES) rules.push(`One of ${values.map((one) => `\`${one}\``).join(", ")}.`);
    if (value.maxLength) rules.push(`At most ${value.maxLength.toLocaleString("en")} characters.`);
    const [least, most] = [value.minimum, value.maximum].map(limitOf);
    if (most) rules.push(least ? `From ${least} to ${most}.` : `At most ${most}.`);
    if (value.default !== undefined && value.default !== null) rules.push(`The default is \`${value.default}\`.`);
    return rules;
  }

  function textOf(schema) {
    const value = filled(schema);
    return schema?.description ?? value?.description ?? resolve(value)?.description ?? "";
  }

  // A limit whose numbers the text has already is not repeated.
  function describe(schema, text = textOf(schema)) {
    const isKnown = (rule) => (rule.match(/\d[\d,]+/g) ?? ["?"]).every((number) => text.includes(number));
    const rules = rulesOf(schema).filter((rule) => !isKnown(rule));
    const sentence = text && !/[.:!?…]$/.test(text) ? `${text}.` : text;
    return [sentence, ...rules].filter(Boolean).join(" ");
  }

  // Fields that share the beginning of their names are one row.
  const patterned = (part) =>
    Object.entries(part.patternProperties ?? {}).map(([pattern, property]) => [`${pattern.match(/^\^(\w*)/)[1]}…`, property]);

  function fieldsOf(schema, prefix = "") {
    return parts(schema).flatMap((part) =>
      [...Object.entries(part.properties ?? {}), ...patterned(part)].flatMap(([name, property]) => [
        {
          name: prefix + name,
          type: typeOf(property),
          object: objectOf(property)?.name,
          isNullable: isNullable(property),
          isRequired: part.required?.includes(name) ?? false,
          description: describe(property),
        },
        // A schema without a name is described where it is used.
        ...(property.properties ? fieldsOf(property, `${prefix}${name}.`) : []),
      ]),
    );
  }

  // Returns the objects within an object, at any depth, each once.
  function objectsOf(schema, found = new Map()) {
    for (const part of parts(schema)) {
      for (const property of Object.values(part.properties ?? {})) {
        const object = objectOf(property);
        if (object && !found.has(object.name)) {
          found.set(object.name, { name: object.name, fields: fieldsOf(object.schema) });
          objectsOf(object.schema, found);
        } else if (property.properties) objectsOf(property, found);
      }
    }
    return [...found.values()];
  }

  return { typeOf, describe, fieldsOf, objectsOf };
}
