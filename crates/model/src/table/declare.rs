//! The macro that turns one declaration into schema, columns, rows and builder.

/// One declared column.
#[derive(Debug, Clone)]
pub struct Column {
    /// Name in Arrow and Parquet.
    pub name: &'static str,
    /// Arrow type.
    pub data_type: arrow::datatypes::DataType,
    /// Whether values can be absent.
    pub is_nullable: bool,
    /// What the column means, with its unit.
    pub meaning: &'static str,
}

/// One declared table, for documentation and for code that treats all tables alike.
#[derive(Debug, Clone, Copy)]
pub struct TableSchema {
    /// Name of the table and of its Parquet file.
    pub name: &'static str,
    /// What a row is.
    pub meaning: &'static str,
    /// The columns, in order.
    pub columns: fn() -> Vec<Column>,
    /// The Arrow schema.
    pub schema: fn() -> arrow::datatypes::SchemaRef,
}

macro_rules! declare_table {
    (
        $(#[doc = $table_doc:literal])+
        $table:ident, $row:ident, $builder:ident, $name:literal, $form:ident {
            $( $(#[doc = $doc:literal])+ $column:ident: $type:ty, )+
        }
    ) => {
        $(#[doc = $table_doc])+
        #[derive(Clone, Debug, PartialEq)]
        pub struct $table {
            $( $(#[doc = $doc])+ pub $column: <$type as ColumnValue<$form>>::Array, )+
        }

        #[doc = concat!("A row of table `", $name, "`.")]
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $row {
            $( $(#[doc = $doc])+ pub $column: $type, )+
        }

        #[doc = concat!("Builds table `", $name, "` row by row.")]
        pub struct $builder {
            len: usize,
            $( $column: <$type as ColumnValue<$form>>::Builder, )+
        }

        impl Default for $builder {
            fn default() -> Self {
                Self { len: 0, $( $column: <$type as ColumnValue<$form>>::builder(), )+ }
            }
        }

        impl $builder {
            /// Appends a row.
            pub fn push(&mut self, row: $row) {
                self.len += 1;
                $( <$type as ColumnValue<$form>>::push(&mut self.$column, row.$column); )+
            }

            /// Rows so far.
            pub fn len(&self) -> usize {
                self.len
            }

            /// Whether no row was pushed.
            pub fn is_empty(&self) -> bool {
                self.len == 0
            }

            /// The finished table.
            pub fn finish(self) -> $table {
                $table { $( $column: <$type as ColumnValue<$form>>::finish(self.$column), )+ }
            }
        }

        impl FromIterator<$row> for $table {
            fn from_iter<I: IntoIterator<Item = $row>>(rows: I) -> Self {
                let mut builder = $builder::default();
                rows.into_iter().for_each(|row| builder.push(row));
                builder.finish()
            }
        }

        impl $table {
            /// Name of the table and of its Parquet file.
            pub const NAME: &'static str = $name;

            /// The table's declaration.
            pub const SCHEMA: TableSchema = TableSchema {
                name: $name,
                meaning: concat!($($table_doc, "\n"),+),
                columns: Self::columns,
                schema: Self::schema,
            };

            /// The declared columns, in order.
            pub fn columns() -> Vec<Column> {
                vec![$( Column {
                    name: stringify!($column),
                    data_type: <$type as ColumnValue<$form>>::data_type(),
                    is_nullable: <$type as ColumnValue<$form>>::IS_NULLABLE,
                    meaning: concat!($($doc),+),
                }, )+]
            }

            /// The Arrow schema, without the `run` column that stored tables carry in front.
            pub fn schema() -> SchemaRef {
                static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
                    let fields = $table::columns().into_iter();
                    let field =
                        |column: Column| Field::new(column.name, column.data_type, column.is_nullable);
                    Arc::new(Schema::new(fields.map(field).collect::<Vec<Field>>()))
                });
                Arc::clone(&SCHEMA)
            }

            /// A table without rows.
            pub fn empty() -> Self {
                $builder::default().finish()
            }

            /// Rows of the table.
            pub fn len(&self) -> usize {
                let columns: [usize; [$(stringify!($column)),+].len()] =
                    [$( ColumnArray::rows(&self.$column) ),+];
                columns[0]
            }

            /// Whether the table has no rows.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The row at `index`, which must be below [`Self::len`].
            pub fn row(&self, index: usize) -> $row {
                $row { $( $column: <$type as ColumnValue<$form>>::get(&self.$column, index), )+ }
            }

            /// All rows, in order.
            pub fn rows(&self) -> impl Iterator<Item = $row> + '_ {
                (0..self.len()).map(|index| self.row(index))
            }

            /// Feeds the table's content to `hasher`.
            pub(crate) fn digest(&self, hasher: &mut blake3::Hasher) {
                hasher.update($name.as_bytes());
                hasher.update(&(self.len() as u64).to_le_bytes());
                $( digest_column::<$type, $form>($name, stringify!($column), &self.$column, hasher); )+
            }

            /// The table as a batch; columns that are arrays of Arrow are not copied.
            ///
            /// # Errors
            /// [`Error::Arrow`] when the columns' lengths differ.
            pub fn to_batch(&self) -> Result<RecordBatch, Error> {
                self.batch_of(0..self.len())
            }

            /// Some rows as a batch; the last must be below [`Self::len`].
            ///
            /// # Errors
            /// As [`Self::to_batch`].
            pub fn batch_of(&self, rows: Range<usize>) -> Result<RecordBatch, Error> {
                let columns: Vec<ArrayRef> = vec![$(
                    <$type as ColumnValue<$form>>::to_arrow(&self.$column, rows.clone()),
                )+];
                RecordBatch::try_new(Self::schema(), columns)
                    .map_err(|source| Error::Arrow { table: $name, source })
            }

            /// The table in a batch, whose further columns are ignored; arrays of Arrow are not copied. A
            /// column that can be absent and is not there, as in older stores, is all absent.
            ///
            /// # Errors
            /// [`Error::MissingColumn`] and [`Error::ColumnType`], naming the column.
            pub fn from_batch(batch: &RecordBatch) -> Result<Self, Error> {
                Ok(Self { $( $column: match batch.column_by_name(stringify!($column)) {
                    Some(column) => typed_column::<$type, $form>($name, stringify!($column), column)?,
                    None => absent_column::<$type, $form>($name, stringify!($column), batch.num_rows())?,
                }, )+ })
            }
        }

        declare_compact!($form, $table, $builder, $($column)+);
    };
}
pub(super) use declare_table;

/// Methods of tables in compact form.
macro_rules! declare_compact {
    (ArrowForm, $table:ident, $builder:ident, $($column:ident)+) => {};
    (CompactForm, $table:ident, $builder:ident, $($column:ident)+) => {
        impl $table {
            /// Bytes that it takes.
            pub fn bytes(&self) -> usize {
                [$( self.$column.bytes(), )+].iter().sum()
            }
        }

        impl $builder {
            /// The columns by name. Each takes all values that the store has of it; then [`Self::finish`] is the table.
            pub fn sinks(&mut self) -> Vec<(&'static str, &mut dyn ColumnSink)> {
                vec![$( (stringify!($column), &mut self.$column as &mut dyn ColumnSink), )+]
            }
        }
    };
}
pub(super) use declare_compact;
