import { annotated, type TemplateInput } from "./template-input.ts";

const imageTypes = ["distroless", "debug"];

export function proxyImage(input: TemplateInput): string {
  return imageOf(input, input.settings.image.proxy, input.launch.imageType);
}

export function initImage(input: TemplateInput): string {
  return imageOf(input, input.settings.image.init, "");
}

function imageOf(input: TemplateInput, name: string, type: string): string {
  const whole = annotated(input, "sidecar.istio.io/proxyImage", name);
  if (whole.includes("/")) return whole;
  const { hub, tag, variant } = input.settings.image;
  return `${hub}/${name}:${typedTag(tag, annotated(input, "sidecar.istio.io/proxyImageType", type || variant))}`;
}

/** `1.29.6` of type `distroless` is `1.29.6-distroless`. `default` is the image without a type. */
function typedTag(tag: string, type: string): string {
  if (type === "") return tag;
  const present = imageTypes.find((known) => tag.endsWith(`-${known}`));
  const plain = present === undefined ? tag : tag.slice(0, -present.length - 1);
  return type === "default" ? plain : `${plain}-${type}`;
}
