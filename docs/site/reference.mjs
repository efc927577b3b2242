// The reference: the operations of an OpenAPI document, in the form that layouts/operations.njk shows.

// Returns the tags of the document, each with its operations.
export function readDescription(document, url) {
  const resolve = (value) => (value?.$ref ? follow(document, value.$ref) : value);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.operationId)
      .map(([method, operation]) => readOperation({ path, method, operation, resolve, url })),
  );
  operations.push(...readWebhooks(document, resolve, url));
  return document.tags
    .map((tag) => ({
      title: title(tag.name),
      description: tag.description,
      url: `${url}/${tag.name}`,
      operations: operations.filter((operation) => operation.tag === tag.name),
    }))
    .filter((tag) => tag.operations.length);
}

// Returns the error codes that the document knows.
export function publicCodes(document) {
  return new Set(document.components.schemas.KnownErrorCode.enum);
}

// Returns the requests that the service sends, in the form of operations.
function readWebhooks(document, resolve, url) {
  return Object.values(document.webhooks ?? {}).flatMap((methods) =>
    Object.entries(methods).map(([method, operation]) =>
      readOperation({ path: "the address of your webhook", method, operation, resolve, url }),
    ),
  );
}

function follow(document, reference) {
  return reference.slice(2).split("/").reduce((value, part) => value[part], document);
}

function title(name) {
  return name[0].toUpperCase() + name.slice(1).replaceAll("_", " ").replaceAll("-", " ");
}

function readOperation({ path, method, operation, resolve, url }) {
  const tag = operation.tags[0];
  return {
    tag,
    id: operation.operationId,
    url: `${url}/${tag}#${operation.operationId}`,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description ?? "",
    credentials: (operation.security ?? []).flatMap(Object.keys),
    parameters: (operation.parameters ?? []).map(resolve).map((parameter) => readParameter(parameter, resolve)),
    bodies: readContent(operation.requestBody, resolve),
    responses: Object.entries(operation.responses).map(([status, response]) => readResponse(status, resolve(response), resolve)),
  };
}

function readParameter(parameter, resolve) {
  const { name, in: place, required, description } = parameter;
  return { name, place, isRequired: !!required, description: description ?? "", type: typeName(parameter.schema, resolve) };
}

function readResponse(status, response, resolve) {
  const bodies = readContent(response, resolve);
  const codes = bodies.flatMap(({ examples }) => examples.map((example) => example.value?.error_message_code)).filter(Boolean);
  return { status, description: response.description ?? "", bodies, codes, isSuccess: status < "400" };
}

function readContent(holder, resolve) {
  return Object.entries(resolve(holder)?.content ?? {}).map(([type, { schema, example, examples }]) => ({
    type,
    fields: readFields(resolve(schema), resolve),
    examples: [
      ...(example === undefined ? [] : [{ value: example }]),
      ...Object.values(examples ?? {}).map(resolve),
    ],
  }));
}

// Returns the fields of an object, those of combined schemas included.
function readFields(schema, resolve, prefix = "") {
  const parts = [schema, ...(schema?.allOf ?? [])].map(resolve).filter((part) => part?.properties);
  return parts.flatMap((part) =>
    Object.entries(part.properties).flatMap(([name, property]) => [
      {
        name,
        type: typeName(property, resolve),
        isRequired: part.required?.includes(name) ?? false,
        description: property.description ?? resolve(property)?.description ?? "",
      },
      // A schema without a name is described where it is used.
      ...(property.properties ? readFields(property, resolve, `${name}.`) : []),
    ]),
  ).map((field) => ({ ...field, name: prefix + field.name }));
}

function typeName(schema, resolve) {
  if (!schema) return "any";
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    return resolve(schema).type === "object" ? name : typeName(resolve(schema), resolve);
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${typeName(schema.items, resolve)}`;
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return [...new Set(alternatives.map((one) => typeName(one, resolve)))].join(" or ");
  const type = [schema.type ?? "any"].flat().join(" or ");
  return schema.format ? `${type} (${schema.format})` : type;
}
