import ServerCore
import Testing

@testable import bjserver

struct HousePartitionTests {
    /// Fixed for ever: a hand is where the name says.
    @Test func aTablesName_givesItsPartition_andItsSettingAnotherOne() throws {
        let partitions = ["main", "high", "low", "friends"].map { TableSpec.partition(ofTable: $0, of: 64) }
        #expect(partitions == [49, 23, 3, 8])
        #expect(["main", "high", "low", "friends"].map { TableSpec.partition(ofTable: $0, of: 2) } == [1, 1, 1, 2])
        #expect(TableSpec.partition(ofTable: "main", of: 1) == 1)
        var options = ServeOptions()
        options.tables = [TableSpec(name: "main"), TableSpec(name: "friends"), TableSpec(name: "vip", partition: 2)]
        let configuration = try ServerConfiguration(options, [])
        let (one, two) = (try configuration.hosted(by: 1, of: 2), try configuration.hosted(by: 2, of: 2))
        #expect(one.tables.map(\.name) == ["main"] && two.tables.map(\.name) == ["friends", "vip"])
        #expect(one.tablesElsewhere == ["friends": 2, "vip": 2] && two.tablesElsewhere == ["main": 1])
        #expect { try configuration.hosted(by: 1, of: 1) } throws: {
            "\($0)" == "table vip names partition 2, but there is only one"
        }
        #expect(one.doubts.isEmpty)
        let lone = try configuration.hosted(by: 1, of: 4)
        #expect(
            lone.doubts == ["tables: partition 3 has no table, so its server is idle: see \"partition\" of a table"]
        )
    }

    /// Within three standard deviations of equal shares.
    @Test(arguments: ["low", "main"], [2, 3, 4, 8])
    func numberedTables_areSharedByThePartitions(name: String, count: Int) {
        var tables = Array(repeating: 0, count: count)
        for number in 1...100 { tables[TableSpec.partition(ofTable: "\(name)-\(number)", of: count) - 1] += 1 }
        let share = 100 / Double(count)
        let bound = 3 * (share * (1 - 1 / Double(count))).squareRoot()
        #expect(tables.allSatisfy { abs(Double($0) - share) <= bound }, "\(tables)")
    }
}
