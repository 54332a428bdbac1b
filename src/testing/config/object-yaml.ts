/** The YAML of an object `shop/a` and the mark that ends it; `metadata` is what else is said of it. */
export function objectYaml(apiVersion: string, kind: string, body: string, metadata = ""): string {
  return `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: a, namespace: shop, ${metadata} }
${body}
---`;
}
