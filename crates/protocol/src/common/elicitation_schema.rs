//! The forms of elicitations: a flat object of simple fields.

use crate::wire::declare::{wire_string, wire_struct, wire_union};
use crate::{Fault, FaultKind, Map, Members, ObjectWriter, Reader, UnknownVariant, Wire, Writer};

wire_struct! {
    /// A form.
    pub struct ElicitationSchema {
        /// Always `object`.
        stated schema_type: ElicitationSchemaType = "type",
        /// The form's title.
        lenient title: Option<String> = "title",
        /// The purpose of the form.
        lenient description: Option<String> = "description",
        /// The fields by name, in the order of the JSON text. If this is null or a field is
        /// malformed, the request fails.
        given properties: Map<ElicitationPropertySchema> = "properties",
        /// The names of the fields that must be filled in.
        strict required: Option<Vec<String>> = "required",
    }
}

/// The JSON type of a form: always `object`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ElicitationSchemaType {
    /// An object.
    #[default]
    Object,
}

impl Wire for ElicitationSchemaType {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mark = reader.checkpoint();
        match &*reader.string()? {
            "object" => Ok(Self::Object),
            _ => {
                reader.rewind(mark);
                Err(reader.fault(FaultKind::NotOneOf("ElicitationSchemaType")))
            }
        }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.string("object");
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::Strings { name: "ElicitationSchemaType", known: &["object"], open: false }
    }
}

wire_union! {
    /// One field of a form. Fields of an unknown type are kept, and never treated as one of the
    /// known types.
    pub enum ElicitationPropertySchema by "type" open {
        /// A text, or one of several values.
        String(StringPropertySchema) = "string",
        /// A number.
        Number(NumberPropertySchema) = "number",
        /// A whole number.
        Integer(IntegerPropertySchema) = "integer",
        /// Yes or no.
        Boolean(BooleanPropertySchema) = "boolean",
        /// Any number of several values.
        Array(MultiSelectPropertySchema) = "array",
    }
}

wire_struct! {
    /// A text, or one of several values if `enum` or `oneOf` is present. If a limit or a value is
    /// malformed, the request fails.
    pub struct StringPropertySchema {
        /// The field's label.
        lenient title: Option<String> = "title",
        /// A description of the field.
        lenient description: Option<String> = "description",
        /// The least number of characters.
        strict min_length: Option<u32> = "minLength",
        /// The greatest number of characters.
        strict max_length: Option<u32> = "maxLength",
        /// A regular expression that the text must match, to be evaluated in bounded time.
        strict pattern: Option<String> = "pattern",
        /// The format of the text.
        strict format: Option<StringFormat> = "format",
        /// The default value.
        lenient default: Option<String> = "default",
        /// The values to choose from.
        strict enum_values: Option<Vec<String>> = "enum",
        /// The values to choose from, with titles.
        strict one_of: Option<Vec<EnumOption>> = "oneOf",
    }
}

wire_string! {
    /// The format of a text. Official decoders refuse a request with another format, so send only
    /// these.
    pub enum StringFormat closed {
        /// An email address.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A date.
        Date = "date",
        /// A date with a time.
        DateTime = "date-time",
    }
}

wire_struct! {
    /// A number. Malformed limits fail the request.
    pub struct NumberPropertySchema {
        /// The field's label.
        lenient title: Option<String> = "title",
        /// A description of the field.
        lenient description: Option<String> = "description",
        /// The least value.
        strict minimum: Option<f64> = "minimum",
        /// The greatest value.
        strict maximum: Option<f64> = "maximum",
        /// The default value.
        lenient default: Option<f64> = "default",
    }
}

wire_struct! {
    /// A whole number. Malformed limits fail the request.
    pub struct IntegerPropertySchema {
        /// The field's label.
        lenient title: Option<String> = "title",
        /// A description of the field.
        lenient description: Option<String> = "description",
        /// The least value.
        strict minimum: Option<i64> = "minimum",
        /// The greatest value.
        strict maximum: Option<i64> = "maximum",
        /// The default value.
        lenient default: Option<i64> = "default",
    }
}

wire_struct! {
    /// Yes or no.
    pub struct BooleanPropertySchema {
        /// The field's label.
        lenient title: Option<String> = "title",
        /// A description of the field.
        lenient description: Option<String> = "description",
        /// The default value.
        lenient default: Option<bool> = "default",
    }
}

wire_struct! {
    /// Any number of several values. Malformed limits and choices fail the request.
    pub struct MultiSelectPropertySchema {
        /// The field's label.
        lenient title: Option<String> = "title",
        /// A description of the field.
        lenient description: Option<String> = "description",
        /// The least number of choices.
        strict min_items: Option<u64> = "minItems",
        /// The greatest number of choices.
        strict max_items: Option<u64> = "maxItems",
        /// The values to choose from.
        must items: MultiSelectItems = "items",
        /// The default choice; malformed values are skipped.
        items default: Option<Vec<String>> = "default",
    }
}

/// The values of a multiple choice. `type` distinguishes the forms, but titled values do not need
/// it. Another `type` is kept, and never treated as one of the known ones.
#[derive(Debug, Clone, PartialEq)]
pub enum MultiSelectItems {
    /// Plain values, whose `type` is `string`.
    String(StringMultiSelectItems),
    /// Values with titles.
    Titled(TitledMultiSelectItems),
    /// A `type` this version does not know, as it arrived.
    Unknown(UnknownVariant),
}

impl Wire for MultiSelectItems {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mark = reader.checkpoint();
        let kind = reader.tag("type")?;
        let start = reader.place();
        reader.taken(start, &["type"]);
        let Some(kind) = kind else {
            return TitledMultiSelectItems::read(reader).map(Self::Titled);
        };
        if kind != "string" {
            return UnknownVariant::read(kind, reader).map(Self::Unknown);
        }
        StringMultiSelectItems::read(reader).map(Self::String).or_else(|fault| {
            // Titled values may come with the `type` `string`, for which they have no field.
            reader.rewind(mark);
            TitledMultiSelectItems::read(reader).map(Self::Titled).map_err(|_| fault)
        })
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.object(|object| self.write_members(object, &[]));
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::Union {
            name: "MultiSelectItems",
            tag: "type",
            variants: vec![
                ("string", StringMultiSelectItems::shape()),
                ("", TitledMultiSelectItems::shape()),
            ],
            open: true,
        }
    }
}

impl Members for MultiSelectItems {
    fn write_members(&self, object: &mut ObjectWriter<'_>, except: &[&str]) {
        match self {
            Self::String(items) => {
                object.key("type").string("string");
                items.write_members(object, except);
            }
            Self::Titled(items) => items.write_members(object, except),
            Self::Unknown(items) => items.write_members(object, except, "type"),
        }
    }
}

wire_struct! {
    /// Plain values to choose from.
    pub struct StringMultiSelectItems {
        /// The values.
        must enum_values: Vec<String> = "enum",
    }
}

wire_struct! {
    /// Values with titles to choose from.
    pub struct TitledMultiSelectItems {
        /// The values.
        must any_of: Vec<EnumOption> = "anyOf",
    }
}

wire_struct! {
    /// One value with its title.
    pub struct EnumOption {
        /// The value that is sent back.
        must value: String = "const",
        /// The label for the user.
        must title: String = "title",
        /// A description of the option.
        lenient description: Option<String> = "description",
    }
}
