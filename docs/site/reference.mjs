// The reference: the operations of an OpenAPI document, in the form that the layouts show.
import { STATUS_CODES } from "node:http";
import { schemaReader } from "./schemas.mjs";

const METHODS = new Set(["get", "head", "post", "put", "patch", "delete"]);

// Words of operation ids that are not written as they are.
const SPELLINGS = {
  api: "API", hls: "HLS", openapi: "OpenAPI", oembed: "oEmbed", post: "POST", content: "video", contents: "videos",
};

// Guides about the credentials that readers get themselves.
const CREDENTIAL_GUIDES = { api_key: "/docs/publish/api-key", direct_upload_token: "/docs/publish/direct-uploads" };

/**
 * Returns the tags of the document, each with its operations.
 * @param {object} document @param {string} url the address of the reference
 */
export function readDescription(document, url) {
  const resolve = (value) => (value?.$ref ? resolve(follow(document, value.$ref)) : value);
  const reader = { ...schemaReader(resolve), resolve, document, url };
  const operations = [
    ...callsOf(document.paths).map((call) => readOperation(call, reader)),
    ...callsOf(document.webhooks ?? {}).map((call) => readEvent(call, reader)),
  ];
  return document.tags
    .map((tag) => ({
      title: sentence(tag.name),
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

function follow(document, reference) {
  return reference.slice(2).split("/").reduce((value, part) => value[part], document);
}

function callsOf(paths) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

// Returns a name such as `get_api_key` as words.
function sentence(name) {
  const words = name.split(/[_-]/).map((word) => SPELLINGS[word] ?? word).join(" ");
  return words[0].toUpperCase() + words.slice(1);
}

// A paragraph that lists statuses with their codes stands beside the responses.
const isAboutErrors = (paragraph) => /^([A-Z][^.:\d]*[:,] )?(also )?\d{3} (`|the code|with the code)/.test(paragraph);

function readOperation({ path, method, operation }, reader) {
  const [tag] = operation.tags;
  const id = operation.operationId;
  const paragraphs = (operation.description ?? "").split(/\n{2,}/).map((text) => text.replace(/\n/g, " ")).filter(Boolean);
  const bodies = readContent(operation.requestBody, reader);
  const statuses = Object.entries(operation.responses).sort(([one], [other]) => (one < other ? -1 : 1));
  const responses = statuses.map(([status, response]) => readResponse(status, reader.resolve(response), reader));
  const summary = operation.summary.replace(/\s+/g, " ");
  return {
    tag,
    id,
    title: sentence(id),
    url: `${reader.url}/${tag}/${id}`,
    method: method.toUpperCase(),
    path,
    summary,
    short: summary.match(/^.*?\.(?=\s[A-Z`]|$)/)?.[0] ?? summary,
    description: paragraphs.filter((text) => !isAboutErrors(text)).join("\n\n"),
    order: paragraphs.filter(isAboutErrors),
    credentials: readCredentials(operation.security ?? [], reader),
    parameters: (operation.parameters ?? []).map(reader.resolve).map((parameter) => readParameter(parameter, reader)),
    bodies,
    responses,
    hasExamples: [...bodies, ...responses.filter(({ isSuccess }) => isSuccess).flatMap(({ bodies }) => bodies)].some(
      ({ examples }) => examples.length,
    ),
  };
}

// Returns a request that the service sends, in the form of an operation.
function readEvent(call, reader) {
  return { ...readOperation(call, reader), title: call.path, path: "the address of your webhook", isEvent: true, credentials: null };
}

// Returns what may be sent as a credential, in words, and whether one is needed.
function readCredentials(security, { document }) {
  const names = security.flatMap(Object.keys);
  const texts = names.map((name) => {
    const { type, description, name: header, in: place } = document.components.securitySchemes[name];
    const where = type === "http" ? "the header `Authorization: Bearer …`" : `the ${place} \`${header}\``;
    const [what] = description.split(/\.(?=\s|$)/);
    const text = /^[A-Z][a-z ]/.test(what) ? what[0].toLowerCase() + what.slice(1) : what;
    return `${CREDENTIAL_GUIDES[name] ? `[${text}](${CREDENTIAL_GUIDES[name]})` : text}, in ${where}`;
  });
  return { texts, isOptional: security.some((one) => !Object.keys(one).length) };
}

function readParameter({ name, in: place, required, description, schema }, { typeOf, describe }) {
  const text = describe(schema, description);
  return { name, place, isRequired: !!required, description: text, type: typeOf(schema) };
}

// Returns the name of a status, also of a range of statuses.
function nameOf(status) {
  if (status === "default") return "Any other status";
  return [status.toLowerCase(), STATUS_CODES[status] ?? "Success"].join(" ");
}

function readResponse(status, response, reader) {
  const bodies = readContent(response, reader).map(ofResponse);
  const failures = bodies.flatMap(({ examples }) => examples).filter(({ value }) => value?.error_message_code && !value.success);
  const isSuccess = status < "400";
  return {
    status,
    name: nameOf(status),
    isSuccess,
    description: response.description ?? "",
    bodies,
    headers: isSuccess ? readHeaders(response.headers ?? {}, reader) : [],
    codes: failures.map(({ value }) => value.error_message_code),
  };
}

// In a request, the required fields are marked; in a response, those that can be missing.
function ofResponse(body) {
  const mark = (fields) => fields.map(({ isRequired, ...field }) => ({ ...field, isOptional: !isRequired }));
  const objects = body.objects.map((object) => ({ ...object, fields: mark(object.fields) }));
  return { ...body, fields: mark(body.fields), objects };
}

function readHeaders(headers, { resolve, typeOf, describe }) {
  return Object.entries(headers).map(([name, header]) => {
    const { schema, description } = resolve(header);
    return { name, type: typeOf(schema), description: describe(schema, description) };
  });
}

function readContent(holder, { resolve, fieldsOf, objectsOf }) {
  return Object.entries(resolve(holder)?.content ?? {}).map(([type, { schema, example, examples }]) => ({
    type,
    description: resolve(schema)?.description ?? "",
    fields: fieldsOf(schema),
    objects: objectsOf(schema),
    examples: [
      ...(example === undefined ? [] : [{ value: example }]),
      ...Object.values(examples ?? {}).map(resolve),
    ],
  }));
}
