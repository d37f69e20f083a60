//! Zarr's extension objects: `{"name": .., "configuration": {..}}`, or the bare name where no configuration is needed.
//!
//! Data types, chunk grids, chunk key encodings and codecs all have this form.

use std::borrow::Cow;

use crate::error::{ErrorKind, Result, quoted};

use crate::json::{Object, Value};

/// A named thing and its configuration.
#[derive(Debug)]
pub(super) struct Extension<'a> {
    name: Cow<'a, str>,
    configuration: Option<Object<'a>>,
    must_understand: Option<Value<'a>>,
    value: Value<'a>,
    path: String,
}

impl<'a> Extension<'a> {
    /// Reads either form; members that Zarr does not define are refused.
    pub(super) fn parse(value: Value<'a>, path: &str) -> Result<Self> {
        let path = path.to_owned();
        if let Some(name) = value.text() {
            return Ok(Self { name, configuration: None, must_understand: None, value, path });
        }
        if !value.is_object() {
            return Err(value.invalid(&path, "a name or an object with a name"));
        }
        let object = value.object(&path)?;
        object.only(&["name", "configuration", "must_understand"])?;
        let name = object.required("name")?.string(&object.path_of("name"))?;
        let configuration = match object.get("configuration") {
            Some(value) => Some(value.object(&object.path_of("configuration"))?),
            None => None,
        };
        let must_understand = object.get("must_understand");
        if let Some(value) = must_understand
            && value.boolean().is_none()
        {
            return Err(value.invalid(&object.path_of("must_understand"), "true or false"));
        }
        Ok(Self { name, configuration, must_understand, value, path })
    }

    /// The name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What messages call it.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Its place in the document.
    pub(super) fn value(&self) -> Value<'a> {
        self.value
    }

    /// The member `must_understand`.
    pub(super) fn must_understand(&self) -> Option<Value<'a>> {
        self.must_understand
    }

    /// A member of the configuration.
    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.configuration.as_ref().and_then(|configuration| configuration.get(name))
    }

    /// A member that the configuration must have.
    pub(super) fn required(&self, name: &str) -> Result<Value<'a>> {
        let Some(configuration) = &self.configuration else {
            let message = format!("`{}` is {} without the configuration that it needs; give it `{name}`", self.path, quoted(&self.name));
            return Err(self.value.error(ErrorKind::InvalidMetadata, message));
        };
        configuration.required(name)
    }

    /// Refuses members of the configuration whose names are none of `known`.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        self.configuration.as_ref().map_or(Ok(()), |configuration| configuration.only(known))
    }

    /// What messages call the configuration's member `name`.
    pub(super) fn path_of(&self, name: &str) -> String {
        format!("{}.configuration.{name}", self.path)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[test]
    fn both_forms_are_read() {
        let cases = [
            (r#""bytes""#, Some("bytes")),
            (r#"{"name":"gzip"}"#, Some("gzip")),
            (r#"{"name":"gzip","configuration":{},"must_understand":true}"#, Some("gzip")),
            (r#"{"name":"gzip","configuration":null}"#, None),
            (r#"{"name":"gzip","configuration":[]}"#, None),
            (r#"{"name":1}"#, None),
            (r#"{"name":"gzip","must_understand":1}"#, None),
            (r#"{"name":"gzip","level":6}"#, None),
            (r#"{"configuration":{}}"#, None),
            (r#""\ud800""#, None),
            ("7", None),
            ("[]", None),
        ];
        for (json, name) in cases {
            let document = Document::strict(json.as_bytes()).unwrap();
            match Extension::parse(document.root().unwrap(), "codecs[0]") {
                Ok(extension) => assert_eq!(Some(extension.name()), name, "{json}"),
                Err(error) => {
                    assert_eq!((error.kind(), name), (ErrorKind::InvalidMetadata, None), "{json}");
                    assert!(error.message().contains("codecs[0]"), "{error}");
                }
            }
        }
    }

    #[test]
    fn a_missing_configuration_is_named_with_what_it_lacks() {
        let document = Document::strict(br#""gzip""#).unwrap();
        let gzip = Extension::parse(document.root().unwrap(), "codecs[2]").unwrap();
        let error = gzip.required("level").unwrap_err();
        for part in ["codecs[2]", "gzip", "level"] {
            assert!(error.message().contains(part), "{error}");
        }
        assert!(gzip.get("level").is_none());
    }
}
