/** A text of the API, in which names stand between backticks. @param {{ text: string }} props */
export function Prose({ text }) {
  return <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}
