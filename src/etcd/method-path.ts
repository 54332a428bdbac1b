/** The names in a generated description of a method. */
export interface NamedMethod {
  readonly name: string;
  readonly parent: { readonly typeName: string };
}

/** The path of a gRPC method: `/package.Service/Method`. */
export function methodPath({ parent, name }: NamedMethod): string {
  return `/${parent.typeName}/${name}`;
}
