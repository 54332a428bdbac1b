const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/iu;

/** A DNS label. Upper case is allowed, as in Istio's own fields. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && label.test(text);
}

/** A full name: labels joined by dots, the last not all digits (that would be an address); a final dot is allowed. */
export function isFqdn(text: string): boolean {
  const labels = text.replace(/\.$/u, "").split(".");
  return text.length <= 255 && labels.every(isDnsLabel) && !/^\d+$/u.test(labels.at(-1) ?? "");
}

/** A full name whose first label may be `*` or start with it: `*.example.com`, `*-dev.example.com`, `*x`, `*`. */
export function isWildcardDomain(text: string): boolean {
  if (text === "*") return true;
  if (!text.startsWith("*")) return isFqdn(text);
  const [first = "", ...rest] = text.split(".");
  const firstIsGood = first === "*" || isDnsLabel(first.replace(/^\*-?/u, ""));
  return firstIsGood && (rest.length === 0 || isFqdn(rest.join(".")));
}

/** Whether Kubernetes accepts the text as an object name: lower-case labels joined by dots. */
export function isObjectName(text: string): boolean {
  return text.length <= 253 && text.split(".").every(isLowerLabel);
}

/** Whether Kubernetes accepts the text as a namespace name. */
export function isNamespaceName(text: string): boolean {
  return text.length <= 63 && isLowerLabel(text);
}

function isLowerLabel(text: string): boolean {
  return text === text.toLowerCase() && label.test(text);
}

const qualifiedName = /^[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?$/u;

/** `name` or `example.com/name`. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  return name.length <= 63 && qualifiedName.test(name) && (slash === -1 || isObjectName(text.slice(0, slash)));
}

export function isLabelValue(text: string): boolean {
  return text === "" || (text.length <= 63 && qualifiedName.test(text));
}
