import type { Endpoint } from "./endpoint.ts";

export type EndpointMatch =
  | { readonly type: "matched"; readonly endpoint: Endpoint; readonly values: readonly string[] }
  | { readonly type: "other method"; readonly methods: readonly string[] }
  | { readonly type: "unknown" };

/** Finds the endpoint of a path below `/api/v1`. HEAD is answered like GET. */
export function matchEndpoint(endpoints: readonly Endpoint[], method: string, path: string): EndpointMatch {
  const segments = path.split("/");
  const same = endpoints.flatMap((endpoint) => {
    const values = valuesIn(endpoint.path.split("/"), segments);
    return values === undefined ? [] : [{ endpoint, values }];
  });
  if (same.length === 0) return { type: "unknown" };
  const wanted = method === "HEAD" ? "GET" : method;
  const match = same.find(({ endpoint }) => endpoint.method === wanted);
  return match === undefined
    ? { type: "other method", methods: same.map(({ endpoint }) => endpoint.method) }
    : { type: "matched", ...match };
}

/** The values of the capital segments; undefined if the path is another one. */
function valuesIn(template: readonly string[], segments: readonly string[]): readonly string[] | undefined {
  if (template.length !== segments.length) return undefined;
  const values: string[] = [];
  for (const [index, part] of template.entries()) {
    const segment = segments[index] ?? "";
    if (!/^[A-Z]+$/u.test(part)) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decoded(segment);
    if (value === undefined || value === "") return undefined;
    values.push(value);
  }
  return values;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
