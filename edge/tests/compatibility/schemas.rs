//! Compares the schemas of requests, which must not become stricter, and of responses, which must not change form.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The direction in which a schema's value is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Request,
    Response,
}

/// The two documents, and the changes that break clients.
pub(crate) struct Comparison<'a> {
    pub old: &'a Value,
    pub new: &'a Value,
    pub broken: Vec<String>,
}

/// The compared parts of a schema, with all references, `allOf` and alternatives merged.
#[derive(Default)]
struct Shape<'a> {
    types: BTreeSet<&'a str>,
    required: BTreeSet<&'a str>,
    properties: BTreeMap<&'a str, &'a Value>,
    items: Option<&'a Value>,
    /// The only possible values, if they are limited.
    values: Option<Vec<&'a Value>>,
    constraints: BTreeMap<&'a str, &'a Value>,
}

const UPPER_BOUNDS: [&str; 3] = ["maximum", "maxLength", "maxItems"];
const LOWER_BOUNDS: [&str; 3] = ["minimum", "minLength", "minItems"];
const FORMS: [&str; 2] = ["pattern", "format"];

impl<'a> Shape<'a> {
    fn of(document: &'a Value, schema: &'a Value) -> Self {
        if let Some(reference) = schema["$ref"].as_str() {
            let pointer = reference.trim_start_matches('#');
            return Self::of(document, document.pointer(pointer).expect("the reference has a target"));
        }
        let mut shape = Self::own(schema);
        for part in list(&schema["allOf"]) {
            shape.add(Self::of(document, part));
        }
        let alternatives = list(&schema["oneOf"]).chain(list(&schema["anyOf"]));
        shape.add(Self::any(alternatives.map(|schema| Self::of(document, schema)).collect()));
        shape
    }

    /// Returns the schema's own parts, without references and alternatives.
    fn own(schema: &'a Value) -> Self {
        let texts = |value: &'a Value| list(value).filter_map(Value::as_str);
        let constraints = UPPER_BOUNDS.iter().chain(&LOWER_BOUNDS).chain(&FORMS);
        Self {
            types: schema["type"].as_str().into_iter().chain(texts(&schema["type"])).collect(),
            required: texts(&schema["required"]).collect(),
            properties: members(&schema["properties"]).collect(),
            items: schema.get("items"),
            values: schema
                .get("const")
                .map(|value| vec![value])
                .or_else(|| Some(schema["enum"].as_array()?.iter().collect())),
            constraints: constraints.filter_map(|name| Some((*name, schema.get(*name)?))).collect(),
        }
    }

    /// Adds further constraints.
    fn add(&mut self, other: Self) {
        self.types.extend(other.types);
        self.required.extend(other.required);
        self.properties.extend(other.properties);
        self.items = self.items.or(other.items);
        self.values = self.values.take().or(other.values);
        self.constraints.extend(other.constraints);
    }

    /// Merges alternatives: all their types are possible, and any value unless each alternative lists its values.
    fn any(alternatives: Vec<Self>) -> Self {
        let mut any = Self::default();
        let is_null = |shape: &Self| shape.types.len() == 1 && shape.types.contains("null");
        let others: Vec<Self> = alternatives
            .into_iter()
            .filter(|shape| {
                any.types.extend(&shape.types);
                !is_null(shape)
            })
            .collect();
        let values: Option<Vec<Vec<&Value>>> = others.iter().map(|shape| shape.values.clone()).collect();
        let values = values.filter(|values| !values.is_empty()).map(|values| values.concat());
        let is_single = others.len() == 1;
        for shape in others {
            any.properties.extend(shape.properties);
            if is_single {
                any.required = shape.required;
                any.items = shape.items;
                any.constraints = shape.constraints;
            }
        }
        Self { values, ..any }
    }
}

impl Comparison<'_> {
    pub(crate) fn report(&mut self, place: &str, change: &str) {
        self.broken.push(format!("{place}: {change}"));
    }

    pub(crate) fn compare(&mut self, direction: Direction, place: &str, old: &Value, new: &Value) {
        let (old_document, new_document) = (self.old, self.new);
        let (old, new) = (Shape::of(old_document, old), Shape::of(new_document, new));
        match direction {
            Direction::Request => self.compare_accepted(place, &old, &new),
            Direction::Response => self.compare_sent(place, &old, &new),
        }
        for (name, before) in &old.properties {
            let place = format!("{place} {name}");
            match new.properties.get(name) {
                Some(now) => self.compare(direction, &place, before, now),
                None => self.report(&place, "is gone"),
            }
        }
        if let (Some(before), Some(now)) = (old.items, new.items) {
            self.compare(direction, &format!("{place} item"), before, now);
        }
    }

    /// Compares bodies, whose media types must stay.
    pub(crate) fn compare_contents(&mut self, direction: Direction, place: &str, old: &Value, new: &Value) {
        for (media_type, before) in members(old) {
            match new.get(media_type) {
                Some(now) => self.compare(direction, place, &before["schema"], &now["schema"]),
                None => self.report(place, &format!("is no longer {media_type}")),
            }
        }
    }

    /// Everything that a client may send must still be accepted.
    fn compare_accepted(&mut self, place: &str, old: &Shape<'_>, new: &Shape<'_>) {
        for name in new.required.difference(&old.required) {
            self.report(&format!("{place} {name}"), "is required");
        }
        if !new.types.is_empty() {
            for kind in old.types.difference(&new.types) {
                self.report(place, &format!("may be no longer {kind}"));
            }
        }
        if let Some(values) = &new.values
            && !old.values.as_ref().is_some_and(|before| before.iter().all(|value| values.contains(value)))
        {
            self.report(place, "accepts fewer values");
        }
        for (name, now) in &new.constraints {
            if is_stricter(name, old.constraints.get(name).copied(), now) {
                self.report(place, &format!("has the stricter {name} {now}"));
            }
        }
    }

    /// Everything that a client reads must keep its form.
    fn compare_sent(&mut self, place: &str, old: &Shape<'_>, new: &Shape<'_>) {
        for name in old.required.difference(&new.required).filter(|name| new.properties.contains_key(*name)) {
            self.report(&format!("{place} {name}"), "is no longer always there");
        }
        if !old.types.is_empty() {
            for kind in new.types.difference(&old.types) {
                self.report(place, &format!("may be {kind}"));
            }
        }
        if let Some(values) = &old.values
            && !new.values.as_ref().is_some_and(|now| now.iter().all(|value| values.contains(value)))
        {
            self.report(place, "has new values");
        }
        for name in FORMS {
            let before = old.constraints.get(name);
            if before.is_some() && before != new.constraints.get(name) {
                self.report(place, &format!("has another {name}"));
            }
        }
    }
}

fn is_stricter(name: &str, old: Option<&Value>, new: &Value) -> bool {
    let Some(old) = old else { return true };
    match (old.as_f64(), new.as_f64()) {
        (Some(old), Some(new)) if UPPER_BOUNDS.contains(&name) => new < old,
        (Some(old), Some(new)) if LOWER_BOUNDS.contains(&name) => new > old,
        _ => old != new,
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the members of an object; a missing object has none.
pub(crate) fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}
