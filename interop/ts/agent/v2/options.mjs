// Config options in the shapes of version 2, which has no modes beside them.
import { configOptions as optionsOfVersion1 } from "../options.mjs";

const group = ({ group: groupId, name, options }) => ({ groupId, name, options });

export function configOptions(values) {
  return optionsOfVersion1(values, true).map(({ id: configId, options, ...option }) => ({
    configId,
    ...option,
    ...(options && { options: options.map((item) => (item.group ? group(item) : item)) }),
  }));
}
