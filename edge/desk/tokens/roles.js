// The roles of tokens, and how long a token is valid.

/** @type {{ role: string, text: string }[]} */
export const ROLES = [
  { role: "look", text: "Sees the desk: the queue, videos, decisions, the blocklist and the audit log." },
  { role: "decide", text: "Decides on videos and suspends channels." },
  { role: "blocklist", text: "Changes the blocklist." },
  { role: "operate", text: "Creates and revokes tokens and origin keys, and edits the policies." },
  { role: "watch", text: "Reads metrics and health, and nothing else." },
  { role: "service", text: "For the site’s back end. Cannot have other roles." },
];

/** The days that a token can be valid; the service allows up to 400. */
export const LIFETIMES = [1, 7, 30, 90, 180, 365, 400];
export const USUAL_LIFETIME = 90;

/**
 * The roles after one was switched. The role of the back end excludes all others.
 * @param {string[]} roles @param {string} role @param {boolean} isOn
 */
export function withRole(roles, role, isOn) {
  if (!isOn) return roles.filter((other) => other !== role);
  if (role === "service") return ["service"];
  const wanted = new Set([...roles.filter((other) => other !== "service"), role]);
  return ROLES.map((known) => known.role).filter((known) => wanted.has(known));
}

/** What is wrong with a token's name, or null. @param {string} name */
export function problemOfName(name) {
  const text = name.trim();
  if (!text) return "Enter a name. It appears beside everything that is done with the token.";
  // The audit log tells people from the operator's secrets and from owners by this.
  return text === "operator" || text.includes(":") ? "The name cannot be “operator” or contain a colon." : null;
}
